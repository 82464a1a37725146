"""Plans in JSON, built from resources that refer to each other, in every layout that Terraform has.

A value may hold `Ref` (another resource's attribute), `Json` (jsonencode), `Policy` (a policy document) or
`Opaque` (unknown, and nothing says why). `render` writes them as `terraform show -json` would: references in
the configuration, and values that are known (a second plan) or unknown (a first one).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

ACCOUNT = "111122223333"
REGION = "ap-northeast-1"
ARN_PREFIXES = {
    "aws_sqs_queue": f"arn:aws:sqs:{REGION}:{ACCOUNT}:",
    "aws_sns_topic": f"arn:aws:sns:{REGION}:{ACCOUNT}:",
    "aws_lambda_function": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:",
    "aws_iam_role": f"arn:aws:iam::{ACCOUNT}:role/",
    "aws_iam_policy": f"arn:aws:iam::{ACCOUNT}:policy/",
    "aws_kms_key": f"arn:aws:kms:{REGION}:{ACCOUNT}:key/",
    "aws_scheduler_schedule_group": f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule-group/",
    "aws_cloudwatch_event_rule": f"arn:aws:events:{REGION}:{ACCOUNT}:rule/",
    "aws_cloudwatch_metric_alarm": f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:",
    "aws_s3_bucket": "arn:aws:s3:::",
}
KNOWN_ATTRIBUTES = ("name", "function_name", "alarm_name", "bucket")


@dataclass
class Res:
    """A resource; `values` are its arguments as written, `index` its own among `count` or `for_each`.

    `actions` is what the plan does to it, as Terraform has it: a resource that is not created exists now.
    """

    type: str
    name: str
    values: dict[str, Any]
    depends_on: list[Res] = field(default_factory=list)
    index: int | str | None = None
    actions: tuple[str, ...] = ("create",)
    before: dict[str, Any] | None = None
    """What it is now, where that is something else than `values` (references and all)."""

    @property
    def label(self) -> str:
        return f"{self.type}.{self.name}"

    def ref(self, attribute: str = "arn") -> Ref:
        return Ref(self, attribute)

    def hide(self, *path: str | int) -> None:
        """Make an argument unknown, without a reference that says more."""
        node: Any = self.values
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = Opaque()


@dataclass(frozen=True)
class Ref:
    """An attribute of another resource."""

    target: Res
    attribute: str


@dataclass(frozen=True)
class Opaque:
    """A value that is known after the apply only; the expression is a local, which plans do not show."""


@dataclass
class Json:
    """`jsonencode(value)`."""

    value: Any


@dataclass
class Policy:
    """A policy: statements as IAM's JSON has them."""

    statements: list[dict[str, Any]]
    version: str | None = "2012-10-17"


def identity(target: Res, attribute: str) -> str:
    """The value that an attribute of a made resource has."""
    values = target.values
    if attribute in values and isinstance(values[attribute], str):
        return str(values[attribute])
    name = next(
        (values[a] for a in (*KNOWN_ATTRIBUTES, "key_id") if isinstance(values.get(a), str)), target.name
    )
    if attribute == "url" or (attribute == "id" and target.type == "aws_sqs_queue"):
        return f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{name}"
    if attribute == "id":
        return str(name)
    return f"{ARN_PREFIXES[target.type]}{name}"


def refs_in(value: Any) -> Iterator[Ref]:
    """All references inside a value."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, Json):
        yield from refs_in(value.value)
    elif isinstance(value, Policy):
        yield from refs_in(value.statements)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from refs_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from refs_in(item)


def opaque_in(value: Any) -> bool:
    """Whether a value holds something unknown in any case."""
    if isinstance(value, Opaque):
        return True
    if isinstance(value, Json):
        return opaque_in(value.value)
    if isinstance(value, Policy):
        return opaque_in(value.statements)
    if isinstance(value, Mapping):
        return any(opaque_in(item) for item in value.values())
    return isinstance(value, list) and any(opaque_in(item) for item in value)


def resolved(value: Any) -> Any:
    """A value with every reference replaced by what it will be."""
    if isinstance(value, Ref):
        return identity(value.target, value.attribute)
    if isinstance(value, Json):
        # As Terraform's jsonencode: compact, names in order.
        return json.dumps(resolved(value.value), separators=(",", ":"), sort_keys=True)
    if isinstance(value, Policy):
        document: dict[str, Any] = {"Version": value.version} if value.version else {}
        document["Statement"] = resolved(value.statements)
        return json.dumps(document, separators=(",", ":"))
    if isinstance(value, Mapping):
        return {name: resolved(item) for name, item in value.items()}
    if isinstance(value, list):
        return [resolved(item) for item in value]
    return value


def document_blocks(policy: Policy) -> list[dict[str, Any]]:
    """A policy as the blocks of an `aws_iam_policy_document`."""
    return [_statement_block(statement) for statement in policy.statements]


def _statement_block(statement: dict[str, Any]) -> dict[str, Any]:
    block: dict[str, Any] = {"sid": statement.get("Sid"), "effect": statement.get("Effect", "Allow")}
    for name, argument in (
        ("Action", "actions"),
        ("NotAction", "not_actions"),
        ("Resource", "resources"),
        ("NotResource", "not_resources"),
    ):
        if name in statement:
            block[argument] = listed(statement[name])
    for name, argument in (("Principal", "principals"), ("NotPrincipal", "not_principals")):
        if name in statement:
            given = statement[name]
            kinds = {"*": given} if isinstance(given, str) else given
            block[argument] = [{"type": kind, "identifiers": listed(names)} for kind, names in kinds.items()]
    if isinstance(statement.get("Condition"), Opaque):
        block["condition"] = statement["Condition"]
    elif "Condition" in statement:
        block["condition"] = [
            {"test": test, "variable": key, "values": listed(values)}
            for test, keys in statement["Condition"].items()
            for key, values in keys.items()
        ]
    return block


def listed(value: Any) -> list[Any]:
    """A scalar or list as a list."""
    return value if isinstance(value, list) else [value]
