"""The messages of the notifier's queue: CloudWatch's own, and those that the notifier writes to itself.

Its own hold error lines that were counted and masked already, or ask for a look whether a log is quiet: the
queue keeps both through an outage of Slack, which Lambda's asynchronous retries would not.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from alarm_notifier import alarms
from alarm_notifier.events import ErrorKind, ErrorLines, Event, QuietCheck
from alarm_notifier.masking import Mask
from alarm_notifier.severity import Severity
from job_runtime.envelope import compile_schema
from job_runtime.identity import canonical_json

_ERRORS: Final = "error-lines"
_QUIET: Final = "quiet-check"
_TEXT: Final = {"type": "string", "minLength": 1, "maxLength": 1024}
_check = compile_schema(
    {
        "type": "object",
        "required": ["kind", "service"],
        "additionalProperties": False,
        "properties": {
            "kind": {"enum": [_ERRORS, _QUIET]},
            "service": _TEXT,
            "delivery": _TEXT,
            "kinds": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["function", "text", "severity", "count"],
                    "additionalProperties": False,
                    "properties": {
                        "function": {**_TEXT, "minLength": 0},
                        "text": _TEXT,
                        "severity": {"enum": [str(severity) for severity in Severity]},
                        "count": {"type": "integer", "minimum": 1},
                    },
                },
            },
        },
        "if": {"properties": {"kind": {"const": _ERRORS}}},
        "then": {"required": ["delivery", "kinds"]},
    },
    root="message",
)


def read(body: str, *, topics: Mapping[str, Severity], mask: Mask) -> Event:
    """The event in a message's body. Raises MalformedMessageError naming the field and the rule it breaks."""
    own = _own(body)
    if own is None:
        return alarms.read(body, topics=topics, mask=mask)
    _check(own)
    if own["kind"] == _QUIET:
        return QuietCheck(own["service"])
    kinds = tuple(ErrorKind(**{**kind, "severity": Severity(kind["severity"])}) for kind in own["kinds"])
    return ErrorLines(own["service"], own["delivery"], kinds)


def _own(body: str) -> Any:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and "kind" in document else None


def of_errors(lines: ErrorLines) -> str:
    """The body that carries error lines."""
    kinds = [
        {"function": kind.function, "text": kind.text, "severity": kind.severity, "count": kind.count}
        for kind in lines.kinds
    ]
    return canonical_json(
        {"kind": _ERRORS, "service": lines.service, "delivery": lines.delivery, "kinds": kinds}
    )


def of_check(service: str) -> str:
    """The body that asks for a look at a service's log."""
    return canonical_json({"kind": _QUIET, "service": service})
