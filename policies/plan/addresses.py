"""Addresses and references, taken apart."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import NamedTuple

from policies.plan.resource import Key, ModulePath, ModuleStep

_TOKEN = re.compile(r"""\.?([^.\[\]"]+)|\[("(?:[^"\\]|\\.)*"|\d+)\]""")


class Part(NamedTuple):
    """A name in an address or reference, with the key behind it."""

    name: str
    key: Key = None


@lru_cache(maxsize=1 << 16)
def parts(text: str) -> tuple[Part, ...] | None:
    """`module.a["x"].aws_sqs_queue.b` as parts; None when it is no address."""
    found: list[Part] = []
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        name, key = token.groups()
        if name is not None:
            found.append(Part(name))
        elif not found:
            return None
        else:
            found[-1] = Part(found[-1].name, _key(key))
        position = token.end()
    return tuple(found)


def _key(text: str) -> Key:
    try:
        key = json.loads(text)
    except json.JSONDecodeError:
        return text.strip('"')
    return key if isinstance(key, str | int) else str(key)


def module_path(text: str) -> ModulePath | None:
    """`module.a["x"].module.b` as a path; None when it is none."""
    found = parts(text)
    if found is None or len(found) % 2:
        return None
    steps = []
    for keyword, step in zip(found[::2], found[1::2], strict=True):
        if keyword.name != "module":
            return None
        steps.append(ModuleStep(step.name, step.key))
    return tuple(steps)


@lru_cache(maxsize=1 << 16)
def longest(references: tuple[str, ...]) -> tuple[str, ...]:
    """References without those that only begin another: Terraform lists `a.b.c` together with `a.b`."""
    kept: list[str] = []
    for reference in sorted(set(references), reverse=True):
        if not any(k.startswith(reference) and k[len(reference)] in ".[" for k in kept if k != reference):
            kept.append(reference)
    return tuple(kept)
