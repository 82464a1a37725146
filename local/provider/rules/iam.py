"""IAM: roles, policies, providers of identities, policy documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local.provider.engine.rules import (
    Arn,
    ConflictsWith,
    Json,
    Length,
    Not,
    OneOf,
    Pattern,
    PolicyJson,
    Range,
    Rule,
    Table,
)
from local.provider.engine.validation import PlanRule

_URL = Pattern(
    r"(?i:https)://(?:[^/?#@\s]*@)?"
    r"(?:\[[0-9A-Fa-f:.]+\]|[^\x00-\x20\x7f/?#@:\[\]%\"<>\\^`{|}]+)(?::\d*)?"
    r"(?:/(?:[^?#%\x00-\x1f\x7f]|%[0-9A-Fa-f]{2})*)?\??(?:#.*)?",
    "be an https URL without a query",
)
_SUFFIX = 26  # what the provider adds to a prefix


def _names(longest: int) -> dict[str, Sequence[Rule]]:
    def name(size: int) -> Pattern:
        return Pattern(rf"[\w+=,.@-]{{1,{size}}}", f"have 1 to {size} of letters, digits and +=,.@_-")

    return {
        "name": (ConflictsWith("name_prefix"), name(longest)),
        "name_prefix": (ConflictsWith("name"), name(longest - _SUFFIX)),
    }


VALIDATED: Mapping[str, Table] = {
    "aws_iam_openid_connect_provider": {
        "client_id_list": Length(1, 255),
        "thumbprint_list": Length(40, 40),
        "url": _URL,
    },
    "aws_iam_policy": {**_names(128), "policy": PolicyJson()},
    "aws_iam_role": {
        **_names(64),
        "assume_role_policy": PolicyJson(),
        "description": (Length(0, 1000), Pattern("[^\u201c\u2018]*", "have straight quotes only")),
        "inline_policy.name": Pattern(r"[\w+=,.@-]{1,128}", "have 1 to 128 of letters, digits and +=,.@_-"),
        "inline_policy.policy": PolicyJson(),
        "managed_policy_arns": Arn(),
        "max_session_duration": Range(3600, 43_200),
        "path": Length(0, 512),
        "permissions_boundary": Arn(),
    },
    "aws_iam_role_policy": {
        **_names(128),
        "policy": PolicyJson(),
        "role": (
            Length(1, 128),
            Pattern(r".*[\w+=,.@-].*", "have letters, digits or +=,.@_-"),
            Not(Arn(), "be the role's name and not its ARN"),
        ),
    },
    "aws_iam_role_policy_attachment": {"policy_arn": Arn()},
    "data.aws_iam_policy_document": {
        "override_policy_documents": Json(),
        "source_policy_documents": Json(),
        "statement.effect": OneOf("Allow", "Deny"),
        "version": OneOf("2008-10-17", "2012-10-17"),
    },
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
