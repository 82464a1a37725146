"""The gate's time on a plan, beside checkov's, and how it grows."""
