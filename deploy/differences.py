"""In what two environments differ, as their plans say, value by value; their own names make no difference."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deploy.plan import Document, managed


class _Absent:
    """There is no such value, or no such resource."""

    def __repr__(self) -> str:
        return "(none)"


class _Unknown:
    """The value is known after the apply only."""

    def __repr__(self) -> str:
        return "(known after apply)"


ABSENT, UNKNOWN = _Absent(), _Unknown()


class Difference(NamedTuple):
    """One value that differs; `attribute` is a path such as `target[0].input.job`, empty for a resource."""

    address: str
    attribute: str
    one: Any
    other: Any


@dataclass(frozen=True)
class Side:
    """An environment's plan. Its name and its account's number stand for themselves: `<env>`, `<account>`."""

    name: str
    document: Document

    @property
    def account(self) -> str:
        """The account that the plan is for."""
        account: str = self.document["variables"]["account_id"]["value"]
        return account

    def resources(self) -> dict[str, Any]:
        """The planned values of every managed resource by address, own names taken out."""
        either = rf"(?P<env>{re.escape(self.name)})|{self.account}"
        own = re.compile(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])")

        def neutral(text: str) -> str:
            return own.sub(lambda found: "<env>" if found["env"] else "<account>", text)

        return {
            neutral(change["address"]): _planned(
                change["change"]["after"], change["change"]["after_unknown"], neutral
            )
            for change in managed(self.document)
        }


def _planned(value: Any, unknown: Any, neutral: Callable[[str], str]) -> Any:
    """A planned value with JSON inside of strings opened and marks of what is unknown in their places."""
    match value, unknown:
        case _, True:
            return UNKNOWN
        case dict(), _:
            marks = unknown if isinstance(unknown, dict) else {}
            return {
                neutral(key): _planned(value.get(key), marks.get(key), neutral)
                for key in sorted(value.keys() | marks.keys())
            }
        case list(), _:
            unknowns = unknown if isinstance(unknown, list) else []
            return [_planned(*pair, neutral) for pair in zip_longest(value, unknowns)]
        case str(), _:
            return _opened(neutral(value))
        case _:
            return value


def _opened(text: str) -> Any:
    if text.startswith(("{", "[")):
        try:
            return json.loads(text)
        except json.JSONDecodeError:  # text that begins like JSON is text
            return text
    return text


def differences(one: Side, other: Side) -> list[Difference]:
    """Every value that differs between two plans, by address and attribute."""
    first, second = one.resources(), other.resources()
    found = []
    for address in sorted(first.keys() | second.keys()):
        if address in first and address in second:
            pairs = _differing("", first[address], second[address])
            found += [Difference(address, path, *values) for path, *values in pairs]
        else:
            told = ["planned" if address in side else ABSENT for side in (first, second)]
            found.append(Difference(address, "", *told))
    return found


def _differing(path: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    match one, other:
        case dict(), dict():
            for key in sorted(one.keys() | other.keys()):
                yield from _differing(
                    f"{path}.{key}" if path else key, one.get(key, ABSENT), other.get(key, ABSENT)
                )
        case list(), list() if len(one) == len(other):
            for place, (first, second) in enumerate(zip(one, other, strict=True)):
                yield from _differing(f"{path}[{place}]", first, second)
        case list(), list():
            yield f"{path}[]", _without(one, other) or ABSENT, _without(other, one) or ABSENT
        case _:
            if type(one) is not type(other) or one != other:
                yield path, one, other


def _without(items: list[Any], others: list[Any]) -> list[Any]:
    """The items that `others` does not hold, each of its items counted once."""
    left = list(others)
    kept = []
    for item in items:
        if item in left:
            left.remove(item)
        else:
            kept.append(item)
    return kept


def show(one: Side, other: Side, console: Console) -> None:
    """Print a line a difference."""
    found = differences(one, other)
    table = Table(title=f"{one.name} and {other.name}: {len(found)} differences", title_justify="left")
    for column in ("address", "attribute", one.name, other.name):
        table.add_column(column, overflow="fold")
    for address, attribute, *values in found:
        table.add_row(Text(address), Text(attribute), *(Text(_told(value)) for value in values))
    console.print(table)
    console.print(
        f"<env> is the environment's name, <account> its account: {one.account} and {other.account}.",
        highlight=False,
        markup=False,
    )


def _told(value: Any) -> str:
    if value is ABSENT or value is UNKNOWN:
        return repr(value)
    return json.dumps(value, ensure_ascii=False, default=repr)
