"""CloudWatch's notification of an alarm, metric or composite, as SNS hands it on raw."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from alarm_notifier import readings
from alarm_notifier.events import AlarmChange
from alarm_notifier.masking import Mask
from alarm_notifier.severity import Severity
from job_runtime.clock import timestamp
from job_runtime.envelope import MalformedMessageError, compile_schema

_TEXT: Final = {"type": "string", "minLength": 1}
_check = compile_schema(
    {
        "type": "object",
        "required": ["AlarmName", "NewStateValue", "StateChangeTime"],
        "properties": {
            "AlarmName": {**_TEXT, "maxLength": 1024},
            "NewStateValue": {"enum": ["ALARM", "OK", "INSUFFICIENT_DATA"]},
            "StateChangeTime": {**_TEXT, "maxLength": 64},
            "AlarmDescription": {"type": ["string", "null"]},
            "AlarmRule": {"type": ["string", "null"]},
            "AlarmActions": {"type": "array", "items": {"type": "string"}},
        },
    },
    root="alarm",
)
_FACT: Final = re.compile(r"(?P<key>alarm|service|severity|runbook|dashboard): (?P<value>\S.*)")
_MEMBER: Final = re.compile(r"""\bALARM\s*\(\s*(?:"([^"]+)"|'([^']+)'|([^\s"')]+))\s*\)""")
_LINK: Final = re.compile(r"https?://[^\s|<>\"]+")
TEXT_LIMIT: Final = 600
_LONGEST_NAME: Final = 256


def read(body: str, *, topics: Mapping[str, Severity], mask: Mask) -> AlarmChange:
    """The change that a message's body tells.

    `topics`: the severity of each topic's ARN, for alarms whose description says nothing of one.
    Raises MalformedMessageError naming the field and the rule for anything else.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise MalformedMessageError("body: must be JSON") from None
    _check(message)
    name = message["AlarmName"]
    text, facts = _description(message.get("AlarmDescription") or "")
    reason = str(message.get("NewStateReason") or "")
    rule = message.get("AlarmRule") or ""
    return AlarmChange(
        name=name,
        state=message["NewStateValue"],
        changed_at=timestamp(_instant(message["StateChangeTime"])),
        service=facts.get("service", name)[:_LONGEST_NAME],
        label=facts.get("alarm", name)[:_LONGEST_NAME],
        severity=_severity(facts, message.get("AlarmActions", ()), topics),
        text=mask.text(text or reason)[:TEXT_LIMIT],
        reading=readings.from_message(message),
        runbook=_link(facts.get("runbook")),
        dashboard=_link(facts.get("dashboard")),
        members=members_of(rule),
    )


def members_of(rule: str) -> tuple[str, ...]:
    """The names of the alarms that a composite's rule asks to be in ALARM, in its order."""
    found = (next(filter(None, match.groups())) for match in _MEMBER.finditer(rule))
    return tuple(dict.fromkeys(name.partition(":alarm:")[2] or name for name in found))


def _description(description: str) -> tuple[str, dict[str, str]]:
    """The human part and the facts of the last paragraph, when all lines of it are facts."""
    text, _, last = description.strip().rpartition("\n\n")
    lines = [_FACT.fullmatch(line.strip()) for line in last.splitlines()]
    facts = {line["key"]: line["value"].strip() for line in lines if line}
    if len(facts) == len(lines) and {"alarm", "service"} <= facts.keys():
        return text.strip(), facts
    return description.strip(), {}


def _severity(facts: Mapping[str, str], actions: Any, topics: Mapping[str, Severity]) -> Severity:
    told = facts.get("severity")
    if told in set(Severity):
        return Severity(told)
    return next((topics[action] for action in actions if action in topics), Severity.WARNING)


def _instant(text: str) -> datetime:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise MalformedMessageError("alarm.StateChangeTime: must be an ISO 8601 instant") from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _link(text: str | None) -> str:
    return text if text and _LINK.fullmatch(text) else ""
