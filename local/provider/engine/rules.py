"""The kinds of rules that a table of rules is made of.

A value rule looks at one known value, a collection rule at a whole list, set or map, a relation at the other
arguments of the same body. Each answers with what completes the sentence "<argument> ...", or with None.
Lengths are counted in bytes of UTF-8, as Go's `len` counts them.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

from typing_extensions import override

from local.provider.engine.values import UNKNOWN, Values, wholly_known

Complaint = str | None


class ValueRule(ABC):
    """A rule of one value; in a list, a set or a map of strings it holds for every element."""

    @abstractmethod
    def complaint(self, value: Any) -> Complaint:
        """What is wrong with a known value."""


class CollectionRule(ABC):
    """A rule of a list, a set or a map as a whole, or of all blocks of a name."""

    @abstractmethod
    def complaint(self, value: Any) -> Complaint:
        """What is wrong with a wholly known collection."""


class Relation(ABC):
    """A rule about which arguments of a body are written together; a block that is not written is None."""

    # Asked of an argument that is not written, of one that is written, or only of one that is wholly known.
    asked: ClassVar[Literal["always", "written", "known"]] = "known"

    @abstractmethod
    def complaint(self, name: str, body: Values) -> Complaint:
        """What is wrong with a body in which `name` has the rule."""


Rule = ValueRule | CollectionRule | Relation
# By dotted path of the argument.
Table = Mapping[str, Rule | Sequence[Rule]]


@dataclass(frozen=True)
class Range(ValueRule):
    """The number is from `low` to `high`, both included; None leaves a side open."""

    low: float | None = None
    high: float | None = None

    @override
    def complaint(self, value: Any) -> Complaint:
        if (self.low is None or self.low <= value) and (self.high is None or value <= self.high):
            return None
        if self.high is None:
            return f"must be at least {self.low}, not {value}"
        return f"must be from {self.low} to {self.high}, not {value}"


@dataclass(frozen=True)
class Multiple(ValueRule):
    """The number is a multiple of `of`; 0 is one."""

    of: int

    @override
    def complaint(self, value: Any) -> Complaint:
        return f"must be a multiple of {self.of}, not {value}" if value % self.of else None


@dataclass(frozen=True)
class Length(ValueRule):
    """The string has from `low` to `high` bytes."""

    low: int
    high: int

    @override
    def complaint(self, value: Any) -> Complaint:
        size = len(value.encode("utf-8", "surrogatepass"))
        if self.low <= size <= self.high:
            return None
        return f"must have from {self.low} to {self.high} bytes, not {size}"


class OneOf(ValueRule):
    """The value is one of those listed."""

    def __init__(self, *allowed: str | int, ignore_case: bool = False) -> None:
        self.allowed = allowed
        self.ignore_case = ignore_case

    @override
    def complaint(self, value: Any) -> Complaint:
        if value in self.allowed:
            return None
        if self.ignore_case and value.casefold() in {str(item).casefold() for item in self.allowed}:
            return None
        return f"must be one of {', '.join(map(str, self.allowed))}, not {value!r}"


@dataclass(frozen=True)
class Pattern(ValueRule):
    """The whole string matches; `meaning` completes the sentence "must ..."."""

    pattern: str
    meaning: str
    compiled: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "compiled", re.compile(self.pattern, re.ASCII | re.DOTALL))

    @override
    def complaint(self, value: Any) -> Complaint:
        return None if self.compiled.fullmatch(value) else f"must {self.meaning}, not {value!r}"


_PARTITION = re.compile(r"aws(?:-[a-z]+)*")
# Two letters, and `eusc` of the European Sovereign Cloud.
_REGION = re.compile(r"[a-z]{2,4}(?:-[a-z]+)+-[0-9]")
_ACCOUNT = re.compile(r"aws|aws-managed|third-party|aws-marketplace|[0-9]{12}|cw.{10}")


class Region(ValueRule):
    """The string has the form of a region's name; an empty one passes."""

    @override
    def complaint(self, value: Any) -> Complaint:
        if not value or _REGION.fullmatch(value):
            return None
        return f"must be the name of a region, not {value!r}"


@dataclass(frozen=True)
class Arn(ValueRule):
    """The string is an ARN whose partition, region and account have the form of one.

    An empty string passes. With `service` and `resource`, a pattern, it is an ARN of such a resource.
    """

    service: str = ""
    resource: str = ""

    @override
    def complaint(self, value: Any) -> Complaint:
        if not value:
            return None
        parts = value.split(":", 5)
        if len(parts) != 6 or parts[0] != "arn":
            return f"must be an ARN, not {value!r}"
        _, partition, service, region, account, resource = parts
        for name, part, form in (
            ("partition", partition, _PARTITION),
            ("region", region or "us-east-1", _REGION),
            ("account", account or "aws", _ACCOUNT),
            ("resource", resource, re.compile(".+", re.DOTALL)),
        ):
            if not form.fullmatch(part):
                return f"must be an ARN: {part!r} is no {name} in {value!r}"
        if self.service and (service != self.service or not re.fullmatch(self.resource, resource)):
            return f"must be an ARN of {self.service}, not {value!r}"
        return None


class AccountId(ValueRule):
    """The string is an account id."""

    @override
    def complaint(self, value: Any) -> Complaint:
        return None if re.fullmatch(r"[0-9]{12}", value) else f"must be an account id, not {value!r}"


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _number(text: str) -> float:
    """As the genuine provider holds it: a number that is too large for it is an error."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def _integer(text: str) -> float:
    value = _number(text)
    return int(value) if abs(value) < _EXACT else value


_EXACT = 2**53


def _parsed(text: str, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    return json.loads(
        text,
        object_pairs_hook=pairs,
        parse_constant=_no_constant,
        parse_float=_number,
        parse_int=_integer,
    )


class Json(ValueRule):
    """The string holds JSON of any kind; an empty string passes."""

    @override
    def complaint(self, value: Any) -> Complaint:
        try:
            _ = value and _parsed(value)
        except ValueError as error:
            return f"must be valid JSON: {error}"
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key {key!r} occurs twice")
    return dict(pairs)


class PolicyJson(ValueRule):
    """The string holds a JSON object whose keys occur once: what IAM takes as a policy."""

    @override
    def complaint(self, value: Any) -> Complaint:
        text = value.strip()
        if not text.startswith("{"):
            return f"must be a JSON object, not {value!r}"
        try:
            _parsed(text, _unique)
        except ValueError as error:
            return f"must be a JSON policy: {error}"
        return None


@dataclass(frozen=True)
class JsonWithin(ValueRule):
    """The string holds JSON of at most `high` bytes when it is written compactly; an empty one passes."""

    high: int

    @override
    def complaint(self, value: Any) -> Complaint:
        if not value:
            return None
        try:
            compact = json.dumps(_parsed(value), separators=(",", ":"), ensure_ascii=False)
        except ValueError as error:
            return f"must be valid JSON: {error}"
        for separator in "\u2028\u2029":  # Go escapes them
            compact = compact.replace(separator, json.dumps(separator)[1:-1])
        size = len(compact.encode("utf-8", "surrogatepass"))
        return (
            f"must have at most {self.high} bytes as compact JSON, not {size}" if size > self.high else None
        )


_TIMESTAMP = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:Z|[+-](?:[01]\d|2[0-4]):[0-5]\d)",
    re.ASCII,
)


class Timestamp(ValueRule):
    """The string is a timestamp of RFC 3339, as Go reads it: an hour may have one digit."""

    @override
    def complaint(self, value: Any) -> Complaint:
        found = _TIMESTAMP.fullmatch(value)
        try:
            if found:
                year, *rest = map(int, found.groups())
                datetime(year or 2000, *rest)  # type: ignore[arg-type]  # noqa: DTZ001 - the date counts
                return None
        except ValueError:
            pass  # such as a 31st of February: told below like any other text
        return f"must be a timestamp such as 2030-01-02T03:04:05Z, not {value!r}"


class NotEmpty(ValueRule):
    """The string is not empty."""

    @override
    def complaint(self, value: Any) -> Complaint:
        return None if value else "must not be empty"


@dataclass(frozen=True)
class Not(ValueRule):
    """The value does not pass the rule; `meaning` completes the sentence "must ..."."""

    rule: ValueRule
    meaning: str

    @override
    def complaint(self, value: Any) -> Complaint:
        return None if self.rule.complaint(value) else f"must {self.meaning}, not {value!r}"


class AnyOf(ValueRule):
    """The value passes one of the rules."""

    def __init__(self, *rules: ValueRule) -> None:
        self.rules = rules

    @override
    def complaint(self, value: Any) -> Complaint:
        complaints = [rule.complaint(value) for rule in self.rules]
        return None if None in complaints else ", or ".join(filter(None, complaints))


@dataclass(frozen=True)
class Items(CollectionRule):
    """The collection has from `low` to `high` elements."""

    high: int | None
    low: int = 0

    @override
    def complaint(self, value: Any) -> Complaint:
        count = len(value)
        if count < self.low:
            return f"must have at least {self.low} elements, not {count}"
        if self.high is not None and count > self.high:
            return f"must have at most {self.high} elements, not {count}"
        return None


@dataclass(frozen=True)
class Keys(CollectionRule):
    """Every key of the map passes the rule."""

    rule: ValueRule

    @override
    def complaint(self, value: Any) -> Complaint:
        found = (self.rule.complaint(key) for key in value)
        return next((f"has a key that {complaint}" for complaint in found if complaint), None)


class _Named(Relation):
    def __init__(self, *names: str) -> None:
        self.names = names


class ConflictsWith(_Named):
    """None of the others is written. One that is not known yet may turn out to be null: it waits."""

    @override
    def complaint(self, name: str, body: Values) -> Complaint:
        others = [other for other in self.names if body[other] is not None and body[other] is not UNKNOWN]
        return f"and {', '.join(others)} exclude each other: write one of them" if others else None


class RequiredWith(_Named):
    """The others are written too."""

    asked = "written"

    @override
    def complaint(self, name: str, body: Values) -> Complaint:
        absent = [other for other in self.names if body[other] is None]
        return f"needs {', '.join(absent)} beside it" if absent else None


class ExactlyOneOf(_Named):
    """One of the arguments named is written, and only one."""

    asked = "always"

    @override
    def complaint(self, name: str, body: Values) -> Complaint:
        known = [other for other in self.names if body[other] is not None and wholly_known(body[other])]
        unknown = any(not wholly_known(body[other]) for other in self.names)
        if len(known) == 1 or (not known and unknown):
            return None
        return f"needs exactly one of {', '.join(self.names)} to be written, not {len(known)}"


class AtLeastOneOf(_Named):
    """One of the arguments named is written, at least."""

    asked = "always"

    @override
    def complaint(self, name: str, body: Values) -> Complaint:
        if any(body[other] is not None for other in self.names):
            return None
        return f"needs one of {', '.join(self.names)} to be written"


@dataclass(frozen=True)
class When(Relation):
    """The value passes `rule` when the argument `other` is written as `value`."""

    other: str
    value: Any
    rule: ValueRule

    @override
    def complaint(self, name: str, body: Values) -> Complaint:
        if body[self.other] != self.value:
            return None
        found = self.rule.complaint(body[name])
        return f"{found} while {self.other} is {json.dumps(self.value)}" if found else None


@dataclass(frozen=True)
class RequiredWhen(Relation):
    """The argument is written, and not empty, when `other` is written as `value`."""

    asked = "always"
    other: str
    value: Any

    @override
    def complaint(self, name: str, body: Values) -> Complaint:
        if body[self.other] != self.value or body[name] not in (None, ""):
            return None
        return f"must be written when {self.other} is {json.dumps(self.value)}"


@dataclass(frozen=True)
class OnlyWhen(Relation):
    """The argument is written, and not empty, only when `other` is `value`."""

    other: str
    value: Any

    @override
    def complaint(self, name: str, body: Values) -> Complaint:
        if body[name] == "" or body[self.other] is UNKNOWN or body[self.other] == self.value:
            return None
        return f"must not be written unless {self.other} is {json.dumps(self.value)}"
