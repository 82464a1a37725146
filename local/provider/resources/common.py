"""Small things that several resource types need."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from local.provider.engine.errors import Problem
from local.provider.engine.values import UNKNOWN, Values

_WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.05
_serial = itertools.count()


def present(**arguments: Any) -> dict[str, Any]:
    """The arguments that are not None: what an API call is given."""
    return {name: value for name, value in arguments.items() if value is not None}


def block(values: Values, name: str) -> Values | None:
    """The only item of a block that occurs at most once, or None."""
    items = values.get(name)
    return items[0] if items else None


def blocks(value: Values | None) -> list[Values]:
    """The block list of a value that is there or not."""
    return [] if value is None else [value]


def changed(prior: Values, planned: Values, *names: str) -> bool:
    """True when one of the arguments differs."""
    return any(prior[name] != planned[name] for name in names)


def unique_suffix() -> str:
    """26 characters that no other call returns: a timestamp and a counter, as the genuine provider has it."""
    now = time.time_ns()
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(now // 10**9))
    return f"{stamp}{now % 10**9 // 10**5:04d}{next(_serial) % 16**8:08x}"


def chosen_name(planned: Values, suffix: str = "") -> str:
    """The name asked for, or a unique one from the prefix (`terraform-` when neither is written)."""
    if planned.get("name"):
        return str(planned["name"])
    return f"{planned.get('name_prefix') or 'terraform-'}{unique_suffix()}{suffix}"


def name_prefix(name: str, suffix: str = "") -> str | None:
    """The prefix of a name that `chosen_name` made; None for any other name."""
    stem = name.removesuffix(suffix)
    made = stem[-26:]
    return stem[:-26] if len(stem) > 26 and made[:18].isdecimal() else None


def tag_list(tags: Mapping[str, str] | None) -> list[dict[str, str]]:
    """Tags as `Key`/`Value` pairs."""
    return [{"Key": key, "Value": value} for key, value in sorted((tags or {}).items())]


def tag_map(pairs: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """`Key`/`Value` pairs as a map."""
    return {pair["Key"]: pair["Value"] for pair in pairs}


def document(value: Any) -> str:
    """A policy document as text; boto3 hands out IAM's already parsed."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def as_text(value: Any) -> str:
    """An attribute as the services take it that know text only; null is empty, which removes."""
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def from_text(text: str | None, kind: type) -> Any:
    """The value of `kind` that a service tells as text; null for nothing, but false for a boolean."""
    if kind is bool:
        return text == "true"
    return kind(text) if text else None


@dataclass(frozen=True)
class Clock:
    """Time as `wait_until` sees it."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def wait_until(done: Callable[[], bool], what: str, clock: Clock = Clock()) -> None:
    """Poll until `done`. Raises Problem after a minute."""
    deadline = clock.now() + _WAIT_SECONDS
    while not done():
        if clock.now() > deadline:
            raise Problem(f"{what} did not come about within {_WAIT_SECONDS:.0f} s")
        clock.sleep(_POLL_SECONDS)


def wait_until_gone(call: Callable[[], object], error: type[Exception], what: str) -> None:
    """Poll until `call` raises `error`. Raises Problem after a minute."""

    def gone() -> bool:
        try:
            call()
        except error:
            return True
        return False

    wait_until(gone, f"{what} being deleted")


def unknown_when(planned: Values, condition: bool, *names: str) -> None:
    """Mark computed attributes that the planned change will alter."""
    if condition:
        planned.update(dict.fromkeys(names, UNKNOWN))
