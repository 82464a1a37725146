"""ARNs and what else names a resource: queue URLs, function names, key aliases."""

from __future__ import annotations

import re
from typing import NamedTuple

_QUEUE_URL = re.compile(r"^https?://[^/]+/(?P<account>\d{12})/(?P<name>[^/]+)$")


class Arn(NamedTuple):
    """The six parts of an ARN."""

    partition: str
    service: str
    region: str
    account: str
    resource: str

    @classmethod
    def parse(cls, text: str) -> Arn | None:
        """The ARN in `text`, or None when it is none."""
        parts = text.split(":", 5)
        if len(parts) != 6 or parts[0] != "arn":
            return None
        return cls(*parts[1:])


class Identity(NamedTuple):
    """A resource by its type and the name that is unique in an account and region."""

    type: str
    name: str
    region: str = ""


# ARN service and the start of the resource part -> Terraform type.
_BY_PREFIX = {
    "lambda": (("function:", "aws_lambda_function"),),
    "iam": (("role/", "aws_iam_role"), ("policy/", "aws_iam_policy")),
    "kms": (("key/", "aws_kms_key"), ("alias/", "aws_kms_alias")),
    "dynamodb": (("table/", "aws_dynamodb_table"),),
    "scheduler": (("schedule-group/", "aws_scheduler_schedule_group"),),
    "events": (("rule/", "aws_cloudwatch_event_rule"),),
    "logs": (("log-group:", "aws_cloudwatch_log_group"),),
}
_WHOLE = {"sqs": "aws_sqs_queue", "sns": "aws_sns_topic", "s3": "aws_s3_bucket"}


def identify(text: str, expected: str) -> Identity | None:
    """What `text` names: an ARN, a queue URL, or else the bare name of a resource of type `expected`."""
    arn = Arn.parse(text)
    if arn is not None:
        return _by_arn(arn)
    url = _QUEUE_URL.match(text)
    if url is not None:
        return Identity("aws_sqs_queue", url["name"])
    if expected == "aws_lambda_function":
        return Identity(expected, text.rpartition("function:")[2].partition(":")[0])
    if expected == "aws_kms_key" and text.startswith("alias/"):
        return Identity("aws_kms_alias", text)
    return Identity(expected, text)


def _by_arn(arn: Arn) -> Identity | None:
    if arn.service in _WHOLE:
        return Identity(_WHOLE[arn.service], arn.resource, arn.region)
    for prefix, kind in _BY_PREFIX.get(arn.service, ()):
        if arn.resource.startswith(prefix):
            name = arn.resource[len(prefix) :]
            if kind == "aws_kms_alias":
                return Identity(kind, arn.resource, arn.region)
            if arn.service == "iam":
                # AWS's own policies are in the account "aws"; none of them is in a plan.
                return None if arn.account == "aws" else Identity(kind, name.rpartition("/")[2])
            if kind in ("aws_lambda_function", "aws_cloudwatch_log_group", "aws_dynamodb_table"):
                name = name.partition(":")[0].partition("/index/")[0]
            if kind == "aws_cloudwatch_event_rule":
                name = name.rpartition("/")[2]
            return Identity(kind, name, arn.region)
    return None
