"""What rules see beyond single resources: who fails over to whom, may do what, watches what."""
