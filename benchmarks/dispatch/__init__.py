"""What the dispatcher holds under kills, and how much memory it takes (`make bench-dispatch`)."""
