"""Error lines, as CloudWatch Logs delivers them to a subscriber: few kinds instead of many lines."""

import base64
import binascii
import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from alarm_notifier.events import ErrorKind, ErrorLines
from alarm_notifier.masking import Mask
from alarm_notifier.severity import Severity
from job_runtime.envelope import MalformedMessageError, compile_schema
from job_runtime.identity import canonical_json

TEXT_LIMIT: Final = 300
KINDS_AT_MOST: Final = 50
"""Kinds of one delivery; a batch with more is a flood of texts that differ, and the rest is counted as
one."""

_LARGEST: Final = 32 * 1024 * 1024
_LEVELS: Final = {"ERROR": Severity.WARNING, "CRITICAL": Severity.CRITICAL, "FATAL": Severity.CRITICAL}
# What Lambda's text format puts before the words: level, instant, request id.
_HEAD: Final = re.compile(
    r"(?:\[?(?:ERROR|CRITICAL)\]?|\d{4}-\d\d-\d\dT[\d:.]+Z"
    r"|(?:RequestId: )?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\s)+"
)
_SERVICE: Final = re.compile(r"[\w .:/-]{1,256}")
_check = compile_schema(
    {
        "type": "object",
        "required": ["messageType", "logGroup", "logStream", "logEvents"],
        "properties": {
            "messageType": {"type": "string"},
            "logGroup": {"type": "string"},
            "logStream": {"type": "string"},
            "logEvents": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id", "message"],
                    "properties": {"id": {"type": "string"}, "message": {"type": "string"}},
                },
            },
        },
    },
    root="awslogs",
)


def read(event: Mapping[str, Any], *, own_log_group: str, mask: Mask) -> list[ErrorLines]:
    """The error lines of a subscription's event, by service; none for a control message or the own log group.

    A line's service is the one that it names itself, otherwise its function. Raises MalformedMessageError
    when the event cannot be read.
    """
    document = _decode(event)
    _check(document)
    log_group = document["logGroup"]
    if document["messageType"] != "DATA_MESSAGE" or log_group == own_log_group:
        return []
    function = log_group.removeprefix("/aws/lambda/")
    ids = [document["logStream"], *(line["id"] for line in document["logEvents"])]
    delivery = hashlib.sha256(canonical_json([log_group, *ids]).encode()).hexdigest()[:32]
    counts: dict[str, Counter[ErrorKind]] = {}
    for line in document["logEvents"]:
        for service, kind in _read_line(line["message"], function, mask):
            counts.setdefault(service, Counter())[kind] += 1
    return [
        ErrorLines(service, delivery, tuple(_kinds(found, function))) for service, found in counts.items()
    ]


def _decode(event: Mapping[str, Any]) -> Any:
    try:
        packed = base64.b64decode(event["awslogs"]["data"], validate=True)
        unpacked = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(packed, _LARGEST)
        return json.loads(unpacked)
    except (KeyError, TypeError, ValueError, binascii.Error, gzip.BadGzipFile, zlib.error):
        raise MalformedMessageError("awslogs.data: must be base64 of gzip of JSON") from None


def _read_line(text: str, function: str, mask: Mask) -> list[tuple[str, ErrorKind]]:
    """What a line says; one that holds what JSON or numbers do not allow stands for itself alone."""
    try:
        return list(_kind(text, function, mask))
    except (ValueError, ArithmeticError, RecursionError):
        return [(function, ErrorKind(function, "a line that could not be read", Severity.WARNING, 1))]


def _kind(text: str, function: str, mask: Mask) -> Iterator[tuple[str, ErrorKind]]:
    """The service and kind of one line; nothing for a line that only mentions an error."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, dict):
        words = _HEAD.sub(" ", text, count=1).strip().splitlines()
        yield function, ErrorKind(function, _short(mask.text(words[0] if words else "")), Severity.WARNING, 1)
        return
    severity = _LEVELS.get(str(line.get("level", "")).upper())
    if severity is None:
        return
    service = line.get("service")
    known = isinstance(service, str) and _SERVICE.fullmatch(service) and service != "service_undefined"
    yield (str(service) if known else function), ErrorKind(function, _words(line, mask), severity, 1)


def _words(line: Mapping[str, Any], mask: Mask) -> str:
    message = line.get("message") or line.get("errorMessage") or "no message"
    parts = [message if isinstance(message, str) else canonical_json(mask.value(message))]
    parts += [
        value
        for value in (line.get("exception_name") or line.get("errorType"), line.get("summary"))
        if isinstance(value, str) and value
    ]
    return _short(mask.text(": ".join(dict.fromkeys(parts)), mask.personal_values(line)))


def _short(text: str) -> str:
    text = " ".join(text.split()) or "no message"
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def _kinds(found: "Counter[ErrorKind]", function: str) -> Iterator[ErrorKind]:
    """One for all that are alike, the first text standing for them."""
    alike: dict[str, ErrorKind] = {}
    others = 0
    for kind, count in found.items():
        known = alike.get(kind.likeness)
        if known is None and len(alike) == KINDS_AT_MOST:
            others += count
            continue
        first = known or kind
        before = known.count if known else 0
        alike[kind.likeness] = ErrorKind(first.function, first.text, first.severity, before + count)
    yield from alike.values()
    if others:
        yield ErrorKind(function, "other errors", Severity.WARNING, others)
