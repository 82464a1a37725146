"""All rules."""

from policies.rules import access, alarms, consumers, functions, leaving, queues, schedules, switched_off
from policies.rules.rule import Open, Rule, Severity, registered

RULES = registered()

__all__ = [
    "RULES",
    "Open",
    "Rule",
    "Severity",
    "access",
    "alarms",
    "consumers",
    "functions",
    "leaving",
    "queues",
    "schedules",
    "switched_off",
]
