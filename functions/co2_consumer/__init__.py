"""The consumer of the job `co2`: one message, one employee's emissions of a month added up by category."""
