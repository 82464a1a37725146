"""Whether a plan is production's, by tags or else by names."""

from __future__ import annotations

import re

from policies.plan import Plan, Resource
from policies.plan.model import value_at

PRODUCTION, OTHER = "production", "other"
_TAGS = ("environment", "env", "stage")
_PRODUCTION = frozenset({"prod", "production", "prd", "live"})
_OTHER = frozenset(
    ("dev", "development", "test", "testing", "qa", "uat", "stg", "staging", "sandbox", "demo", "local", "ci")
)


def words(text: str) -> list[str]:
    """The words of a name: `fanout-prod-charge` has three."""
    return re.findall(r"[a-z0-9]+", text.lower())


def stage_of(resource: Resource, plan: Plan) -> str | None:
    """`PRODUCTION`, `OTHER`, or None when neither tags nor names say.

    A tag `environment`, `env` or `stage` of the resource itself counts first, then those of the plan's others
    (a schedule has no tags), then words such as `prod` in its own names. Anything that says production wins.
    """
    for tagged in (_tags(resource), plan.view(_stages)):
        if tagged:
            return PRODUCTION if tagged & _PRODUCTION else OTHER
    named = {word for text in _names(resource) for word in words(text)}
    if named & _PRODUCTION:
        return PRODUCTION
    return OTHER if named & _OTHER else None


def _stages(plan: Plan) -> frozenset[str]:
    return frozenset().union(*(_tags(resource) for resource in plan.resources if resource.judged))


def _tags(resource: Resource) -> frozenset[str]:
    found = set()
    for attribute in ("tags", "tags_all"):
        given = resource.values.raw(attribute)
        if isinstance(given, dict):
            for key, value in given.items():
                if key.lower() in _TAGS and isinstance(value, str):
                    found.update(words(value))
    return frozenset(found)


def _names(resource: Resource) -> list[str]:
    paths: tuple[tuple[str | int, ...], ...] = (
        ("name",),
        ("group_name",),
        ("function_name",),
        ("event_source_arn",),
        ("target", 0, "arn"),
    )
    return [text for path in paths if isinstance(text := value_at(resource, *path), str)]
