"""dev, stg and prod from the command line: planned, compared, applied, destroyed."""
