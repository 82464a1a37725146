"""The rules that need one resource only, as checks for checkov (`--external-checks-dir policies/checkov`)."""
