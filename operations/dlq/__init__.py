"""`python -m operations.dlq`: see what failed, understand it, put it back."""
