"""A whole month on the local AWS: applied, fired, disturbed, counted, destroyed."""
