"""CloudWatch in MiniStack's place: the evaluator of `local.cloudwatch`, fed by what the services do.

MiniStack looks alarms up by metric name alone; here dimensions, math, missing data, composites, suppressors
and the policies of topics and keys count as they do on AWS.
"""
