"""A probe: one resource with one fault, or with none, and what becomes of it.

The verdict is that of hashicorp/aws 5.46, which was asked. Where the version whose schema the stand-in has
decides otherwise, or has an argument that 5.46 lacks, the probe says what is right `now`, and why. The type
of a data source begins with `data.`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from local.provider.engine.values import Values

Verdict = Literal["validate", "plan", "accepted"]


class Expression(str):
    """Text that is written into the configuration as it is."""

    __slots__ = ()


# Not known before a plan, known in it, and known only after an apply.
PLANNED_LATE = "var.late"
APPLIED_LATE = "terraform_data.later.output"


@dataclass(frozen=True)
class Probe:
    """`verdict` is None where 5.46 has none; `now` and `because` are set where the verdict counts no more."""

    type: str
    config: Values
    label: str
    verdict: Verdict | None
    now: Verdict | None = None
    because: str = ""

    @property
    def expected(self) -> Verdict:
        """What the stand-in has to do."""
        expected = self.now or self.verdict
        assert expected, self.label
        return expected


@dataclass(frozen=True)
class Newer:
    """Changes that a later version judges otherwise than 5.46 (`was`)."""

    now: Verdict
    was: Verdict | None
    because: str
    changes: Sequence[Mapping[str, Any]]


def probes(
    type_name: str,
    base: Values,
    *,
    validate: Sequence[Mapping[str, Any]] = (),
    plan: Sequence[Mapping[str, Any]] = (),
    accepted: Sequence[Mapping[str, Any]] = (),
    newer: Sequence[Newer] = (),
) -> Iterator[Probe]:
    """A probe for each change of the valid `base`: values by dotted path, None to leave an argument out."""

    def made(change: Mapping[str, Any], verdict: Verdict | None, now: Verdict | None, why: str) -> Probe:
        told = ", ".join(f"{path}={_short(value)}" for path, value in change.items())
        label = f"{type_name} {told or 'as it is'}"
        return Probe(type_name, _changed(base, change), label, verdict, now, why)

    for change in validate:
        yield made(change, "validate", None, "")
    for change in plan:
        yield made(change, "plan", None, "")
    for change in accepted:
        yield made(change, "accepted", None, "")
    for later in newer:
        for change in later.changes:
            yield made(change, later.was, later.now, later.because)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:40]}...{text[-20:]} ({len(text)})"


def _changed(base: Values, change: Mapping[str, Any]) -> Values:
    config = copy.deepcopy(base)
    for path, value in change.items():
        *way, last = path.split(".")
        body = config
        for step in way:
            body = body.setdefault(step, {})
        body[last] = value
    return config
