"""Puts back, by itself, what is known to pass: messages whose failure was no fault of their own."""
