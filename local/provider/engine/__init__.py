"""The schema-driven engine: Terraform's plugin protocol 6 over declarations of resource types."""
