"""How a redrive of a full dead-letter queue behaves: memory, rate, and that nothing is lost."""
