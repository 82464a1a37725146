"""The rule about schedules and mappings that are switched off."""

from __future__ import annotations

from collections.abc import Iterator

from policies.plan import UNKNOWN, Plan, Resource, Undecided
from policies.plan.model import value_at
from policies.rules import links
from policies.rules.rule import Open, Severity, rule
from policies.topology.consumption import MAPPING
from policies.topology.stage import PRODUCTION, stage_of, words

SCHEDULE = "aws_scheduler_schedule"
EVENT_RULE = "aws_cloudwatch_event_rule"


@rule(
    "FO704",
    Severity.HIGH,
    title="What production runs by is switched on, and an audit wherever its job is",
    why="A schedule or mapping that is off makes no error and no metric: the run does not happen, or its"
    " messages wait until they are deleted. When the audit is off as well, nobody is told.",
    fix="""
resource "aws_scheduler_schedule" "this" {
  state = "ENABLED"
}
""",
    link=links.SCHEDULER_MANAGE,
    subjects=(SCHEDULE, EVENT_RULE, MAPPING),
)
def production_is_on(mover: Resource, plan: Plan) -> Iterator[str | Open]:
    if _on(mover):
        return
    attribute = "enabled" if mover.type == MAPPING else "state"
    if _audits(mover) and any(_on_beside(other, mover) for other in plan.of(SCHEDULE)):
        yield "it audits runs and is switched off, while its group still dispatches them; switch it on"
        return
    stage = stage_of(mover, plan)
    if stage is None:
        raise Undecided(
            f"{attribute} switches it off, and nothing says whether this is production; tag resources with"
            " environment"
        )
    if stage == PRODUCTION:
        yield f"{attribute} switches it off in production; switch it on, or take it away with what it serves"


def _on(mover: Resource) -> bool:
    """Whether it is switched on. Raises Undecided."""
    if mover.type == MAPPING:
        return mover.values.flag("enabled", default=True)
    if mover.values.raw("is_enabled") is False:
        return False
    return (mover.values.text("state") or "ENABLED") != "DISABLED"


def _audits(schedule: Resource) -> bool:
    """Whether a schedule is an audit, by its own name or that of what it invokes."""
    if schedule.type != SCHEDULE:
        return False
    names = (schedule.values.raw("name"), schedule.key, value_at(schedule, "target", 0, "arn"))
    return any(word.startswith("audit") for name in names if isinstance(name, str) for word in words(name))


def _on_beside(other: Resource, audit: Resource) -> bool:
    """Whether another schedule of the same group, that is no audit, is switched on. Raises Undecided."""
    group = audit.values.raw("group_name")
    if other.address == audit.address or _audits(other) or group is UNKNOWN:
        return False
    return other.values.raw("group_name") == group and _on(other)
