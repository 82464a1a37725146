"""The message of a job: its frame, how it is written, and how one that came from a queue is checked.

Numbers are exact: `1200.0` is read as 1200, a fraction stays one and breaks the schema, NaN is no JSON.
Errors name the field and the rule, never a value: a body holds personal data.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import fastjsonschema

from job_runtime.identity import canonical_json, idempotency_key, payload_hash

SCHEMA_VERSION = 1
PERIOD_PATTERN = "^2[0-9]{3}-(0[1-9]|1[0-2])$"
INSTANT_PATTERN = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?Z$"
SHA256_PATTERN = "^[0-9a-f]{64}$"
_LARGEST_EXPONENT = 18

JsonSchema = Mapping[str, Any]

ID_SCHEMA: JsonSchema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "pattern": "^(?=.*\\S)[^\\u0000-\\u001f\\u007f\\ud800-\\udfff\\ufffe\\uffff]*$",
}
"""A tenant or employee id: not blank, nothing that SQS refuses in a body, and short enough in any alphabet
for a DynamoDB sort key (1,024 bytes with its prefix)."""

_REFERENCE_SCHEMA: JsonSchema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["bucket", "key", "sha256", "bytes"],
    "properties": {
        "bucket": {"type": "string", "pattern": "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"},
        "key": {"type": "string", "minLength": 1, "maxLength": 1024},
        "sha256": {"type": "string", "pattern": SHA256_PATTERN},
        "bytes": {"type": "integer", "minimum": 1, "maximum": 100 * 1024 * 1024},
    },
}

_FRAME_SCHEMA: JsonSchema = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "additionalProperties": False,
    "required": [
        "schema_version",
        "job",
        "tenant_id",
        "employee_id",
        "period",
        "run_id",
        "scheduled_time",
    ],
    "properties": {
        "schema_version": {"const": SCHEMA_VERSION},
        "job": {"type": "string", "pattern": "^[a-z][a-z0-9-]{0,31}$"},
        "idempotency_key": {"type": "string", "pattern": SHA256_PATTERN},
        "tenant_id": ID_SCHEMA,
        "employee_id": ID_SCHEMA,
        "period": {"type": "string", "pattern": PERIOD_PATTERN},
        "payload": {"type": "object"},
        "payload_ref": _REFERENCE_SCHEMA,
        "run_id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$"},
        "scheduled_time": {"type": "string", "pattern": INSTANT_PATTERN},
    },
    "oneOf": [{"required": ["payload"]}, {"required": ["payload_ref"]}],
}


class MalformedMessageError(ValueError):
    """A text that is no message of this job; the error names the field and the rule, never a value."""


Validator = Callable[[Any], None]


def compile_schema(schema: JsonSchema, *, root: str = "") -> Validator:
    """A check that raises MalformedMessageError naming the field (below `root`) and the rule it breaks.

    Compile once a container: it writes and compiles Python code.
    """
    check = fastjsonschema.compile(dict(schema), use_default=False, use_formats=False)

    def validate(value: Any) -> None:
        try:
            check(value)
        except fastjsonschema.JsonSchemaValueException as broken:
            field = ".".join([part for part in (root, *map(str, broken.path[1:])) if part]) or "body"
            raise MalformedMessageError(f"{field}: {_rule(broken)}") from None

    return validate


def _rule(broken: "fastjsonschema.JsonSchemaValueException") -> str:
    if broken.rule == "required":
        missing = [name for name in broken.rule_definition if name not in broken.value]
        return f"must have {', '.join(missing)}"
    if broken.rule == "additionalProperties":
        return "has a member that schema version 1 does not know"
    if broken.rule == "oneOf":
        return "must have exactly one of payload and payload_ref"
    return f"must keep to {broken.rule} {canonical_json(broken.rule_definition)}"


_validate_frame = compile_schema(_FRAME_SCHEMA)


@dataclass(frozen=True)
class PayloadReference:
    """Where a large payload lies: an S3 object whose content is the payload's canonical JSON.

    `sha256` is of that content (64 hex), `bytes` its length.
    """

    bucket: str
    key: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Message:
    """One message of a job, checked. Exactly one of `payload` and `payload_ref` is set.

    `period` is `YYYY-MM`; `scheduled_time` ISO 8601 in UTC; amounts in `payload` are integers in minor units.
    """

    job: str
    tenant_id: str
    employee_id: str
    period: str
    run_id: str
    scheduled_time: str
    payload: Mapping[str, Any] | None
    payload_ref: PayloadReference | None = None

    @cached_property
    def idempotency_key(self) -> str:
        """The key of the effect, from the business fields."""
        return idempotency_key(self.job, self.tenant_id, self.employee_id, self.period)

    @cached_property
    def payload_hash(self) -> str:
        """SHA-256 hex of the payload's canonical JSON, be it in the body or behind the reference."""
        return self.payload_ref.sha256 if self.payload_ref else payload_hash(self.payload)

    @property
    def content(self) -> Mapping[str, Any]:
        """The payload, where the message is known to carry it itself; ValueError when it is by reference."""
        if self.payload is None:
            raise ValueError("payload: it is by reference; fetch it first")
        return self.payload

    def body(self) -> str:
        """The message as the text of a queue: canonical JSON. Raises what `check` raises."""
        self.check()
        return canonical_json({**self._fields(), "idempotency_key": self.idempotency_key})

    def check(self) -> None:
        """Raise MalformedMessageError naming the field and the rule when the frame breaks its schema.

        The payload's own rules are in its job's schema.
        """
        _validate_frame(self._fields())

    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "job": self.job,
            "tenant_id": self.tenant_id,
            "employee_id": self.employee_id,
            "period": self.period,
            "run_id": self.run_id,
            "scheduled_time": self.scheduled_time,
        }
        if self.payload is not None:
            fields["payload"] = self.payload
        if self.payload_ref is not None:
            fields["payload_ref"] = vars(self.payload_ref)
        return fields


class Contract:
    """What one consumer takes: its job and the JSON schema (draft 7) of its payload."""

    def __init__(self, job: str, payload_schema: JsonSchema) -> None:
        """Compiles `payload_schema`; make one a container."""
        self.job = job
        self.validate_payload = compile_schema(payload_schema, root="payload")

    def parse(self, body: str) -> Message:
        """The message in `body`.

        Raises MalformedMessageError when it is not JSON, breaks the schema, is another job's, or carries a
        key that its own fields do not give.
        """
        fields = _decode(body)
        _validate_frame(fields)
        if "idempotency_key" not in fields:
            raise MalformedMessageError("idempotency_key: must be present")
        if fields["job"] != self.job:
            raise MalformedMessageError(f"job: must be {self.job}, the job of this consumer")
        reference = fields.get("payload_ref")
        message = Message(
            job=fields["job"],
            tenant_id=fields["tenant_id"],
            employee_id=fields["employee_id"],
            period=fields["period"],
            run_id=fields["run_id"],
            scheduled_time=fields["scheduled_time"],
            payload=fields.get("payload"),
            payload_ref=PayloadReference(**reference) if reference else None,
        )
        if message.idempotency_key != fields["idempotency_key"]:
            raise MalformedMessageError(
                "idempotency_key: must be the key of job, tenant_id, employee_id and period"
            )
        if message.payload is not None:
            self.validate_payload(message.payload)
        return message

    def parse_payload(self, text: str) -> Mapping[str, Any]:
        """The payload in `text`, the content of a payload object; same rules and error as `parse`."""
        payload = _decode(text)
        self.validate_payload(payload)
        checked: Mapping[str, Any] = payload
        return checked


def _decode(text: str) -> Any:
    try:
        return json.loads(
            text, parse_float=_exact, parse_constant=_no_constant, object_pairs_hook=_without_repeated_names
        )
    except MalformedMessageError:
        raise
    except (ValueError, ArithmeticError, RecursionError):
        # Decimal raises an ArithmeticError for an exponent beyond its own limits.
        raise MalformedMessageError("body: must be JSON (RFC 8259)") from None


def _exact(text: str) -> int | Decimal:
    number = Decimal(text)
    whole = number.adjusted() <= _LARGEST_EXPONENT and number == number.to_integral_value()
    return int(number) if whole else number


def _no_constant(_name: str) -> Any:
    raise MalformedMessageError("body: NaN and Infinity are no JSON numbers")


def _without_repeated_names(members: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(members)
    if len(fields) != len(members):
        raise MalformedMessageError("body: a member name appears twice in one object")
    return fields
