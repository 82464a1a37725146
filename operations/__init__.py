"""What an operator runs by hand."""
