"""What alarms watch, and whom they tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from policies.plan import UNKNOWN, Arn, Node, Plan, Resource, Undecided
from policies.plan.model import dotted, value_at

ALARM = "aws_cloudwatch_metric_alarm"
COMPOSITE = "aws_cloudwatch_composite_alarm"
_MEMBER = re.compile(r"""\(\s*(?:["']([^"']+)["']|([^\s"'()]+))\s*\)""")


@dataclass(frozen=True)
class Watch:
    """One metric that an alarm looks at. `dimensions` is None when all of them are unknown."""

    alarm: Resource
    namespace: Node
    metric: Node
    dimensions: Mapping[str, Node] | None


@dataclass
class Watches:
    """Watches by namespace, metric and what is watched; `adrift` ones watch something unknown. Of `unread`
    alarms not even the metrics are known."""

    found: dict[tuple[str, str, str], list[Watch]] = field(default_factory=dict)
    adrift: dict[tuple[str, str], list[Watch]] = field(default_factory=dict)
    unread: list[Resource] = field(default_factory=list)

    def on(self, namespace: str, metric: str, resource: Resource, name: str) -> list[Watch]:
        """The watches on a metric of a resource, whose name is in the attribute `name`."""
        known = resource.values.raw(name)
        by_name = self.found.get((namespace, metric, known), []) if isinstance(known, str) else []
        return [*by_name, *self.found.get((namespace, metric, resource.address), [])]


def watches_of(alarm: Resource) -> Iterator[Watch]:
    """What an alarm watches: its own metric, or those of its metric queries. Raises Undecided."""
    values = alarm.values
    if values.raw("metric_name") is not None:
        yield Watch(
            alarm, values.raw("namespace"), values.raw("metric_name"), _dimensions(values.raw("dimensions"))
        )
    for query in values.blocks("metric_query"):
        for metric in query.blocks("metric"):
            yield Watch(
                alarm,
                metric.raw("namespace"),
                metric.raw("metric_name"),
                _dimensions(metric.raw("dimensions")),
            )


def written_in(watch: Watch) -> str:
    """The argument of its alarm that a watch is written in."""
    return "dimensions" if watch.alarm.values.raw("metric_name") is not None else "metric_query"


def _dimensions(node: Node) -> Mapping[str, Node] | None:
    if node is UNKNOWN:
        return None
    return node if isinstance(node, dict) else {}


def watches(plan: Plan) -> Watches:
    """Build the view; use through `plan.view(watches)`."""
    view = Watches()
    for alarm in plan.of(ALARM):
        try:
            watched = list(watches_of(alarm))
        except Undecided:
            view.unread.append(alarm)
            continue
        for watch in watched:
            if isinstance(watch.namespace, str) and isinstance(watch.metric, str):
                _enter(view, watch, watch.namespace, watch.metric, plan)
            else:
                view.unread.append(alarm)
    return view


def _enter(view: Watches, watch: Watch, namespace: str, metric: str, plan: Plan) -> None:
    values = [UNKNOWN] if watch.dimensions is None else list(watch.dimensions.values())
    for value in values:
        if isinstance(value, str):
            view.found.setdefault((namespace, metric, value), []).append(watch)
    if UNKNOWN not in values:
        return
    sources = plan.trail(watch.alarm, written_in(watch)).found
    for address in sources:
        view.found.setdefault((namespace, metric, address), []).append(watch)
    if not sources:
        view.adrift.setdefault((namespace, metric), []).append(watch)


def tells(alarm: Resource) -> bool:
    """Whether an alarm has actions of its own that are not turned off."""
    actions = alarm.values.raw("alarm_actions")
    listed = actions is UNKNOWN or (isinstance(actions, list) and bool(actions))
    return listed and alarm.values.raw("actions_enabled") is not False


def taken_up(alarm: Resource, plan: Plan) -> bool:
    """Whether another alarm works by this one's state: a composite alarm of which it is a member, or which it
    keeps quiet. Raises Undecided."""
    name = alarm.values.raw("alarm_name")
    members = plan.view(composite_members)
    if alarm.address in members.addresses or (isinstance(name, str) and name in members.names):
        return True
    if members.adrift:
        raise Undecided(members.adrift[0])
    return False


@dataclass
class CompositeMembers:
    """What composite alarms refer to; `adrift` says where that is unknown."""

    names: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    adrift: list[str] = field(default_factory=list)


def composite_members(plan: Plan) -> CompositeMembers:
    """Build the view; use through `plan.view(composite_members)`."""
    members = CompositeMembers()
    for composite in plan.of(COMPOSITE):
        rule = composite.values.raw("alarm_rule")
        members.names.update(members_named(composite))
        _follow(members, composite, plan, ("alarm_rule",), known=isinstance(rule, str))
        if composite.values.raw("actions_suppressor") not in (None, []):
            path = ("actions_suppressor", 0, "alarm")
            suppressor = value_at(composite, *path)
            if isinstance(suppressor, str):
                members.names.add(_alarm_name(suppressor))
            _follow(members, composite, plan, path, known=suppressor is not UNKNOWN)
    return members


def members_named(composite: Resource) -> set[str]:
    """The names of the alarms in a composite alarm's rule, as far as that is known."""
    rule = composite.values.raw("alarm_rule")
    named = _MEMBER.findall(rule) if isinstance(rule, str) else []
    return {_alarm_name(quoted or bare) for quoted, bare in named}


def _follow(
    members: CompositeMembers, composite: Resource, plan: Plan, path: tuple[str | int, ...], *, known: bool
) -> None:
    sources = plan.trail(composite, *path).found.values()
    members.addresses |= {resource.address for resource in sources if resource.type in (ALARM, COMPOSITE)}
    if not known and not sources:
        members.adrift.append(f"{composite}: {dotted(path)} is known after the apply only")


def _alarm_name(text: str) -> str:
    """The name of an alarm that is given by its name or its ARN."""
    arn = Arn.parse(text)
    return text if arn is None else arn.resource.removeprefix("alarm:")
