"""`python -m operations.maintenance`: say that a job is being worked on; its composites stay quiet."""
