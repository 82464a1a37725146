"""Where failures go: redrive policies, and every other thing that names a dead-letter queue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from policies.plan import UNKNOWN, Node, Plan, Resource, Undecided
from policies.plan.model import value_at

QUEUE = "aws_sqs_queue"
_HOLDERS = (QUEUE, "aws_sqs_queue_redrive_policy")

# Type and path of each argument, other than a redrive policy, that names where failures go.
FAILURE_PATHS: tuple[tuple[str, tuple[str | int, ...]], ...] = (
    ("aws_scheduler_schedule", ("target", 0, "dead_letter_config", 0, "arn")),
    ("aws_cloudwatch_event_target", ("dead_letter_config", 0, "arn")),
    ("aws_lambda_function", ("dead_letter_config", 0, "target_arn")),
    ("aws_lambda_function_event_invoke_config", ("destination_config", 0, "on_failure", 0, "destination")),
    ("aws_lambda_event_source_mapping", ("destination_config", 0, "on_failure", 0, "destination_arn")),
)


@dataclass(frozen=True)
class Redrive:
    """A redrive policy: `source` fails over to `target` after `maximum` receives.

    `target` is None when it is outside the plan or cannot be told; `problem` then says why. `maximum` is the
    value as written, `UNKNOWN` when unknown.
    """

    holder: Resource
    source: Resource
    target: Resource | None
    maximum: Node
    problem: str = ""


@dataclass(frozen=True)
class Failures:
    """Redrives by the address of source and of target, and the addresses of queues that take failures.

    `adrift` tells of arguments that may name any queue, being unknown; `lost` of redrive policies whose own
    queue cannot be told, by address.
    """

    by_source: dict[str, list[Redrive]]
    by_target: dict[str, list[Redrive]]
    takers: set[str]
    adrift: list[str]
    lost: dict[str, str]

    def redrives(self, queue: Resource) -> list[Redrive]:
        """The redrive policies of a queue."""
        return self.by_source.get(queue.address, [])


def failures(plan: Plan) -> Failures:
    """Build the view; use through `plan.view(failures)`."""
    by_source: dict[str, list[Redrive]] = {}
    by_target: dict[str, list[Redrive]] = {}
    takers: set[str] = set()
    adrift: list[str] = []
    lost: dict[str, str] = {}
    for holder in plan.of(*_HOLDERS):
        if holder.values.raw("redrive_policy") in (None, ""):
            continue
        try:
            source = holder if holder.type == QUEUE else plan.one(holder, "queue_url", kinds=(QUEUE,))
        except Undecided as reason:
            lost[holder.address] = str(reason)
            if holder.values.unknown("queue_url"):
                adrift.append(f"{holder}: {reason}")
            continue
        if source is None:
            continue
        redrive = _read(plan, holder, source)
        by_source.setdefault(source.address, []).append(redrive)
        if redrive.target is not None:
            takers.add(redrive.target.address)
            by_target.setdefault(redrive.target.address, []).append(redrive)
        elif holder.values.unknown("redrive_policy"):
            adrift.append(f"{holder}: {redrive.problem}")
    for taker, problem in _other_takers(plan):
        if taker is not None:
            takers.add(taker.address)
        else:
            adrift.append(problem)
    return Failures(by_source, by_target, takers, adrift, lost)


def redrive_document(text: str) -> dict[str, Node] | None:
    """A redrive (allow) policy from its JSON, or None when it is none."""
    try:
        node = json.loads(text)
    except (ValueError, RecursionError):
        return None  # reported by the rule about redrive policies, which says so
    return node if isinstance(node, dict) else None


def _read(plan: Plan, holder: Resource, source: Resource) -> Redrive:
    value = holder.values.raw("redrive_policy")
    if isinstance(value, str):
        policy = redrive_document(value)
        if policy is None:
            return Redrive(holder, source, None, None, "the redrive policy is not a JSON object")
        maximum = policy.get("maxReceiveCount")
        arn = policy.get("deadLetterTargetArn")
        if not isinstance(arn, str):
            return Redrive(holder, source, None, maximum, "the redrive policy names no deadLetterTargetArn")
        found = plan.named(arn, (QUEUE,), source.values.raw("region"))
        if len(found) == 1:
            return Redrive(holder, source, found[0], maximum)
        return Redrive(holder, source, None, maximum, f"its dead-letter queue {arn} is not in this plan")
    found = [
        q for q in plan.trail(holder, "redrive_policy").found.values() if q.type == QUEUE and q is not source
    ]
    target = found[0] if len(found) == 1 else None
    problem = "" if target else "its redrive policy is known after the apply only"
    return Redrive(holder, source, target, UNKNOWN, problem)


def _other_takers(plan: Plan) -> Iterator[tuple[Resource | None, str]]:
    for kind, path in FAILURE_PATHS:
        for holder in plan.of(kind):
            try:
                for taker in plan.candidates(holder, *path, kinds=(QUEUE,)):
                    yield taker, ""
            except Undecided as reason:
                if (
                    value_at(holder, *path) is UNKNOWN
                ):  # a known name that is not in the plan is no queue of it
                    yield None, f"{holder}: {reason}"
    for holder in plan.of("aws_sns_topic_subscription"):
        try:
            for taker in dead_letters_of_subscription(holder, plan):
                yield taker, ""
        except Undecided as reason:
            yield None, f"{holder}: its {reason}"


def dead_letters_of_subscription(subscription: Resource, plan: Plan) -> list[Resource]:
    """The queues that a topic's subscription fails over to, as far as they are in the plan.

    Raises Undecided.
    """
    value = subscription.values.raw("redrive_policy")
    if isinstance(value, str):
        arn = (redrive_document(value) or {}).get("deadLetterTargetArn")
        return plan.named(arn, (QUEUE,)) if isinstance(arn, str) else []
    if value is not UNKNOWN:
        return []
    found = [q for q in plan.trail(subscription, "redrive_policy").found.values() if q.type == QUEUE]
    if not found:
        raise Undecided("redrive_policy is known after the apply only")
    return found
