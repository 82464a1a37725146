"""A plan as rules see it: resources, three-valued values, and the references between resources."""

from policies.plan.arns import Arn
from policies.plan.document import PlanError, plan_of, read_context, read_plan
from policies.plan.model import Plan
from policies.plan.policy import PolicyDocument, Statement
from policies.plan.resource import Leaving, Resource
from policies.plan.values import UNKNOWN, Block, Node, Undecided, Unknown

__all__ = [
    "UNKNOWN",
    "Arn",
    "Block",
    "Leaving",
    "Node",
    "Plan",
    "PlanError",
    "PolicyDocument",
    "Resource",
    "Statement",
    "Undecided",
    "Unknown",
    "plan_of",
    "read_context",
    "read_plan",
]
