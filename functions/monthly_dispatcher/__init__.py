"""The dispatcher of a monthly job: reads the directory in pages and sends a message for each employee."""
