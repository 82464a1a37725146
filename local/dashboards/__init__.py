"""Pictures of CloudWatch dashboards, drawn from their definition and from what CloudWatch has in it."""
