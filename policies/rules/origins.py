"""What an alarm watches of which the dimensions are known after the apply only.

A provider plans a map with one unknown value as wholly unknown: the plan then tells neither names nor values,
and the configuration where they come from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from policies.plan import Plan, Resource
from policies.plan.addresses import parts
from policies.rules.rule import Open
from policies.topology.watching import Watch, written_in


@dataclass(frozen=True)
class Named:
    """What a dimension is the name of: attributes of a type that hold the name."""

    dimension: str
    kind: str
    attributes: tuple[str, ...]


_MAPPING = Named("EventSourceMappingUUID", "aws_lambda_event_source_mapping", ("uuid", "id"))
_BY_NAMESPACE = {
    "AWS/DynamoDB": Named("TableName", "aws_dynamodb_table", ("name", "id")),
    "AWS/Lambda": Named("FunctionName", "aws_lambda_function", ("function_name", "id")),
    "AWS/SNS": Named("TopicName", "aws_sns_topic", ("name",)),
    "AWS/SQS": Named("QueueName", "aws_sqs_queue", ("name",)),
    "AWS/Scheduler": Named("ScheduleGroup", "aws_scheduler_schedule_group", ("name", "id")),
}
# Metrics of a mapping are in the namespace of functions.
OF_MAPPINGS = frozenset(
    {
        "DeletedEventCount",
        "DroppedEventCount",
        "FailedInvokeEventCount",
        "FilteredOutEventCount",
        "InvokedEventCount",
        "PolledEventCount",
    }
)
_NAMED = (_MAPPING, *_BY_NAMESPACE.values())


def judge_origin(watch: Watch, plan: Plan) -> Iterator[str | Open]:
    """Whether unknown dimensions are the name of something that the metric is published for."""
    trail = plan.trail(watch.alarm, written_in(watch))
    wanted = _named(watch)
    if wanted is None:
        if not trail.found:
            yield Open("its dimensions are known after the apply only")
        return
    published = f"{watch.metric} of {watch.namespace} is published with {wanted.dimension}"
    if any(found.type == wanted.kind for found in trail.found.values()):
        for reference in _other_attributes(watch, wanted, plan):
            yield f"its dimensions are {reference}; {published}: write the {wanted.attributes[0]}"
    elif trail.found and not trail.lost and all(_has_name(found) for found in trail.found.values()):
        yield f"its dimensions come from {min(trail.found)}; {published}, the name of a {wanted.kind}"
    elif not _is_only_unknown_name(watch.alarm, wanted, plan):
        yield Open("its dimensions are known after the apply only, and no reference in the plan says of what")


def _named(watch: Watch) -> Named | None:
    if watch.namespace == "AWS/Lambda" and watch.metric in OF_MAPPINGS:
        return _MAPPING
    return _BY_NAMESPACE.get(str(watch.namespace))


def _other_attributes(watch: Watch, wanted: Named, plan: Plan) -> Iterator[str]:
    """References to the wanted type, in the alarm's own module, that are no name of it."""
    for reference in plan.references.written(watch.alarm, written_in(watch)):
        names = parts(reference) or ()
        if len(names) > 2 and names[0].name == wanted.kind and names[2].name not in wanted.attributes:
            yield reference


def _has_name(resource: Resource) -> bool:
    """Whether a resource has a name that is a dimension; others, such as a random one, may be part of any."""
    return any(resource.type == named.kind for named in _NAMED)


def _is_only_unknown_name(alarm: Resource, wanted: Named, plan: Plan) -> bool:
    """Whether, of all that the alarm's module knows, only names of the wanted type are unknown.

    A local or a dynamic block hides the origin; but what is unknown there is one of those names.
    """
    reach = plan.reach(alarm)
    nameless = {named.kind for named in _NAMED for r in reach.found.values() if _is_nameless(r, named)}
    return nameless == {wanted.kind} and not reach.lost


def _is_nameless(resource: Resource, named: Named) -> bool:
    """Whether the name that a dimension would be is known after the apply only."""
    return (
        resource.type == named.kind
        and resource.mode == "managed"
        and not isinstance(resource.values.raw(named.attributes[0]), str)
    )
