"""Waivers: findings that somebody answers for, until a day.

A TOML file of tables `[[waiver]]` with `rule` (an id), `address` (a resource's address; `*` stands for any
text, `?` for a character), `reason`, `owner` and `expires` (a date; the waiver holds on that day still).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from policies.judge import Outcome

_FIELDS = ("rule", "address", "reason", "owner", "expires")


class WaiversError(Exception):
    """A file that cannot be read as waivers."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One waiver that holds."""

    number: int
    rule: str
    address: str
    reason: str
    owner: str
    expires: date

    def covers(self, outcome: Outcome) -> bool:
        """Whether an outcome is this waiver's."""
        return outcome.rule.id == self.rule and _pattern(self.address).fullmatch(outcome.address) is not None


@dataclass(frozen=True)
class Waivers:
    """What a file holds: waivers that count, and what is wrong with the others."""

    file: str
    valid: list[Waiver]
    problems: list[str]


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text).replace(r"\*", ".*").replace(r"\?", "."))


def read_waivers(file: Path, rules: Collection[str], today: date) -> Waivers:
    """The waivers of a file. Raises WaiversError when it is no such file."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise WaiversError(f"{file}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # TOML's own error, and text that is not UTF-8
        raise WaiversError(f"{file}: not TOML ({error})") from error
    entries = document.pop("waiver", [])
    if document or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise WaiversError(f"{file}: holds something other than [[waiver]] tables; write each waiver as one")
    valid, problems = [], []
    for number, entry in enumerate(entries, start=1):
        faults = list(_faults(entry, rules, today))
        problems += [f"waiver {number} ({entry.get('rule', 'no rule')}): {fault}" for fault in faults]
        if not faults:
            valid.append(Waiver(number, **{name: entry[name] for name in _FIELDS}))
    return Waivers(str(file), valid, problems)


def _faults(entry: dict[str, Any], rules: Collection[str], today: date) -> Iterable[str]:
    for name in _FIELDS[:-1]:
        value = entry.get(name)
        if not isinstance(value, str) or not value.strip():
            yield f"it has no {name}; write one"
    for name in entry.keys() - set(_FIELDS):
        yield f"it has a field {name}; there are {', '.join(_FIELDS)}"
    if isinstance(entry.get("rule"), str) and entry["rule"].strip() and entry["rule"] not in rules:
        yield f"there is no rule {entry['rule']}; python -m policies --list names them"
    expires = entry.get("expires")
    if not isinstance(expires, date) or isinstance(expires, datetime):
        yield "it has no date in expires; write one without quotes, such as expires = 2027-03-31"
    elif expires < today:
        yield f"it expired on {expires}; mend what it covers, or have its owner decide again"


def apply_waivers(outcomes: Iterable[Outcome], waivers: Waivers) -> tuple[list[Outcome], list[Waiver]]:
    """Outcomes with those that are waived marked, and the waivers that covered nothing."""
    by_rule: dict[str, list[Waiver]] = {}
    for waiver in waivers.valid:
        by_rule.setdefault(waiver.rule, []).append(waiver)
    used: set[int] = set()
    marked = []
    for outcome in outcomes:
        covering = next((w for w in by_rule.get(outcome.rule.id, []) if w.covers(outcome)), None)
        if covering is None:
            marked.append(outcome)
            continue
        used.add(covering.number)
        told = f"{covering.reason} ({covering.owner}, until {covering.expires})"
        marked.append(replace(outcome, waived=told))
    return marked, [waiver for waiver in waivers.valid if waiver.number not in used]
