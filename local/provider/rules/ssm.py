"""SSM parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local.provider.engine.rules import ExactlyOneOf, Length, OneOf, RequiredWith, Table
from local.provider.engine.validation import PlanRule

VALIDATED: Mapping[str, Table] = {
    "aws_ssm_parameter": {
        "allowed_pattern": Length(0, 1024),
        "data_type": OneOf("aws:ec2:image", "aws:ssm:integration", "text"),
        "description": Length(0, 1024),
        "name": Length(1, 2048),
        "tier": OneOf("Advanced", "Intelligent-Tiering", "Standard"),
        "type": OneOf("SecureString", "String", "StringList"),
        "value": ExactlyOneOf("value", "insecure_value", "value_wo"),
        "value_wo": RequiredWith("value_wo_version"),
        "value_wo_version": RequiredWith("value_wo"),
    },
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
