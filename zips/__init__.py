"""Zips of the functions: the same bytes on every machine, for the Lambda platform, from the lock file."""
