"""How grave an alarm is, by what it says itself or by whom it tells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from policies.plan import Arn, Plan, Resource, Undecided
from policies.topology.watching import COMPOSITE, members_named

CRITICAL = "critical"
# A line of the description, as alarm-pack writes it.
_LINE = re.compile(r"^severity:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_WORDS = {"critical": CRITICAL, "page": CRITICAL, "pager": CRITICAL, "warning": "warning", "info": "info"}


def severity_of(alarm: Resource, plan: Plan) -> str | None:
    """The severity of an alarm that there is: its tag, its description, the topics it tells, its composites.

    None for one that tells nobody, itself or through a composite. Raises Undecided when nothing says it.
    """
    stated = [*_stated(alarm), *_told(alarm)]
    if stated:
        return CRITICAL if CRITICAL in stated else stated[0]
    name = alarm.values.raw("alarm_name")
    composites = [c for c in _composites(plan) if isinstance(name, str) and name in members_named(c)]
    spoken = [severity for c in composites for severity in (*_stated(c), *_told(c))]
    if spoken:
        return CRITICAL if CRITICAL in spoken else spoken[0]
    if not alarm.values.raw("alarm_actions") and not composites:
        return None
    raise Undecided(
        "nothing says how grave it is; give it a tag severity = critical, warning or info, and apply that"
        " first"
    )


def _stated(alarm: Resource) -> Iterator[str]:
    for tags in ("tags", "tags_all"):
        given = alarm.values.raw(tags)
        if isinstance(given, dict):
            yield from (
                value.lower()
                for key, value in given.items()
                if key.lower() == "severity" and isinstance(value, str)
            )
    description = alarm.values.raw("alarm_description")
    if isinstance(description, str):
        yield from (severity.lower() for severity in _LINE.findall(description))


def _told(alarm: Resource) -> Iterator[str]:
    """Severities in the names of the topics that it tells: `fanout-prod-critical`."""
    actions = alarm.values.raw("alarm_actions")
    for action in actions if isinstance(actions, list) else []:
        arn = Arn.parse(action) if isinstance(action, str) else None
        words = re.split(r"[^a-z0-9]+", arn.resource.lower()) if arn else []
        yield from (_WORDS[word] for word in words if word in _WORDS)


def _composites(plan: Plan) -> list[Resource]:
    """Composites as they will be and as they are: a plan that deletes a member takes it off the rule, too."""
    former = (resource for resource in plan.former if resource.type == COMPOSITE)
    return [*plan.of(COMPOSITE), *plan.leaving_of(COMPOSITE), *former]
