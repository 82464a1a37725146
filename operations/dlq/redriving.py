"""`redrive`: puts chosen messages back, or shows which would go."""

import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from job_runtime.clock import Clock
from job_runtime.dead_letters import DeadLetter, DeadLetterQueue
from job_runtime.redrive import Order, Redrive, Report
from job_runtime.selection import Selection
from job_runtime.sender import Sender
from operations.dlq.look import look
from operations.dlq.target import Target
from operations.outcome import RefusedError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_SHOWN = 1_000


@dataclass(frozen=True)
class Wish:
    """What is asked for; see `job_runtime.redrive.Order`."""

    selection: Selection
    limit: int | None = None
    rate: float | None = None
    hold_seconds: int | None = None
    patience_seconds: int | None = None


def refuse_where_groups_halt(target: Target) -> None:
    """Raise RefusedError for a job that halts groups: there a message goes back with its group, in order."""
    if target.halts:
        raise RefusedError(
            f"{target.job} halts a group behind a failed message; write `release GROUP` or `release --all`, "
            "which keeps its order, instead of redrive"
        )


def redrive(
    client: "SQSClient", target: Target, wish: Wish, clock: Clock, tell: Callable[[DeadLetter], None]
) -> Report:
    """Put back what the wish selects; `tell` is called for each. Raises botocore's errors."""
    with (
        Sender(client, target.queue_url, clock=clock, threads=2) as forward,
        Sender(client, target.dead_letters_url, clock=clock, threads=2) as aside,
    ):
        return Redrive(
            queue=DeadLetterQueue(client, target.dead_letters_url),
            order=Order(
                meant=lambda letter: wish.selection.meets(letter, clock.now()),
                behind_others=not wish.selection.is_by_group,
                limit=wish.limit,
                rate=wish.rate,
                hold_seconds=wish.hold_seconds,
                patience_seconds=wish.patience_seconds,
            ),
            run=f"dlq-{uuid.uuid4().hex}",
            forward=forward,
            aside=aside,
            clock=clock,
            tell=tell,
        )()


@dataclass
class Plan:
    """What would go, in order, as far as a look reaches; the first thousand are listed."""

    total: int
    classes: Counter[str]
    listed: list[dict[str, Any]]
    unseen: int


def plan(queue: DeadLetterQueue, wish: Wish, clock: Clock) -> Plan:
    """Which messages would go. Raises botocore's errors."""
    found = Plan(0, Counter(), [], 0)
    seen = 0
    depth = queue.depth().total
    with closing(look(queue, depth + _SHOWN)) as letters:
        for letter in letters:
            seen += 1
            if not wish.selection.meets(letter, clock.now()) or found.total == wish.limit:
                continue
            found.total += 1
            found.classes[letter.failure_class] += 1
            if len(found.listed) < _SHOWN:
                found.listed.append(
                    {
                        "place": found.total,
                        "message_id": letter.message_id,
                        "group": letter.group,
                        "class": letter.failure_class,
                        "redrives": letter.trip.redrives,
                        "idempotency_key": letter.key,
                    }
                )
    found.unseen = max(0, depth - seen)
    return found
