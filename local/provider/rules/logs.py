"""CloudWatch Logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local.provider.engine.rules import Arn, ConflictsWith, Length, OneOf, Pattern, Table
from local.provider.engine.validation import PlanRule


def _name(longest: int) -> Pattern:
    return Pattern(rf"[.\-_/#A-Za-z0-9]{{1,{longest}}}", f"have 1 to {longest} of letters, digits and .-_/#")


VALIDATED: Mapping[str, Table] = {
    "aws_cloudwatch_log_group": {
        "log_group_class": OneOf("DELIVERY", "INFREQUENT_ACCESS", "STANDARD"),
        "name": (ConflictsWith("name_prefix"), _name(512)),
        "name_prefix": (ConflictsWith("name"), _name(483)),
        "retention_in_days": OneOf(
            *(0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
            *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
        ),
    },
    "aws_cloudwatch_log_subscription_filter": {
        "destination_arn": Arn(),
        "distribution": OneOf("ByLogStream", "Random"),
        "filter_pattern": Length(0, 1024),
        "name": Length(1, 512),
        "role_arn": Arn(),
    },
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
