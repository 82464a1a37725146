"""Event source mappings of queues: which queue, which function."""

from __future__ import annotations

from dataclasses import dataclass, field

from policies.plan import UNKNOWN, Arn, Plan, Resource, Undecided

MAPPING = "aws_lambda_event_source_mapping"
FUNCTION = "aws_lambda_function"
QUEUE = "aws_sqs_queue"

# Each of these belongs to a source that is no SQS queue; such a source has at least one.
_OTHER_SOURCES = (
    "starting_position",
    "queues",
    "topics",
    "self_managed_event_source",
    "amazon_managed_kafka_event_source_config",
    "document_db_event_source_config",
)


def reads_queue(mapping: Resource, plan: Plan) -> bool:
    """Whether a mapping's source is an SQS queue. Raises Undecided."""
    source = mapping.values.raw("event_source_arn")
    arn = Arn.parse(source) if isinstance(source, str) else None
    if arn is not None:
        return arn.service == "sqs"
    if source is None:
        return False
    if any(mapping.values.raw(name) not in (None, [], UNKNOWN) for name in _OTHER_SOURCES):
        return False
    try:
        return bool(plan.candidates(mapping, "event_source_arn", kinds=(QUEUE,)))
    except Undecided:
        # Streams need a starting position, brokers their queues: what has neither reads from SQS.
        if any(mapping.values.unknown(name) for name in _OTHER_SOURCES):
            raise
        return True


def queue_of(mapping: Resource, plan: Plan) -> Resource | None:
    """The queue that a mapping reads, None for another kind of source. Raises Undecided."""
    if not reads_queue(mapping, plan):
        return None
    return plan.one(mapping, "event_source_arn", kinds=(QUEUE,))


def function_of(mapping: Resource, plan: Plan) -> Resource | None:
    """The function behind a mapping. Raises Undecided."""
    return plan.one(mapping, "function_name", kinds=(FUNCTION,))


def is_fifo(mapping: Resource, plan: Plan) -> bool:
    """Whether a mapping's queue is FIFO, which its ARN tells even of a queue elsewhere. Raises Undecided."""
    source = mapping.values.raw("event_source_arn")
    if isinstance(source, str) and Arn.parse(source) is not None:
        return source.endswith(".fifo")
    queue = queue_of(mapping, plan)
    return queue is not None and fifo(queue)


def fifo(queue: Resource) -> bool:
    """Whether a queue is FIFO. Raises Undecided."""
    name = queue.values.raw("name")
    return queue.values.flag("fifo_queue") or (isinstance(name, str) and name.endswith(".fifo"))


@dataclass
class Consumption:
    """Mappings by the address of the queue they read; `adrift` ones may read any."""

    by_queue: dict[str, list[Resource]] = field(default_factory=dict)
    adrift: list[str] = field(default_factory=list)


def consumption(plan: Plan) -> Consumption:
    """Build the view; use through `plan.view(consumption)`."""
    view = Consumption()
    for mapping in plan.of(MAPPING):
        try:
            queue = queue_of(mapping, plan)
        except Undecided as reason:
            # A known name that is not in the plan is no queue of it.
            if mapping.values.unknown("event_source_arn"):
                view.adrift.append(f"{mapping} may read it: {reason}")
            continue
        if queue is not None:
            view.by_queue.setdefault(queue.address, []).append(mapping)
    return view
