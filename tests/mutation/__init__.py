"""Changing the runtime on purpose, to see that a test notices."""
