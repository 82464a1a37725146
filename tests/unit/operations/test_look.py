"""A bounded look: each message once, and all visible again at its end."""

import json

import pytest

from job_runtime.dead_letters import DeadLetterQueue
from operations.dlq.look import HOLD_SECONDS, look
from tests.support.clock import FakeClock
from tests.support.queues import Sqs

DEAD = "https://sqs/1/charge-dlq"


@pytest.fixture
def sqs(clock: FakeClock) -> Sqs:
    client = Sqs(clock, "charge-dlq")
    for number in range(25):
        client.send_message(QueueUrl=DEAD, MessageBody=json.dumps({"number": number}))
    return client


def hidden(sqs: Sqs) -> int:
    return sum(message.visible_at > sqs.clock.monotonic() for message in sqs.named("charge-dlq").messages)


def test_a_look_that_outlasts_its_hold_ends_and_yields_no_message_twice(sqs: Sqs, clock: FakeClock) -> None:
    seen = []
    for letter in look(DeadLetterQueue(sqs, DEAD), 1_000):  # type: ignore[arg-type]
        seen.append(letter.message_id)
        clock.sleep(HOLD_SECONDS / 12)
    assert len(seen) == len(set(seen)) == 20
    assert hidden(sqs) == 0


def test_a_look_that_is_left_early_shows_again_what_it_holds(sqs: Sqs) -> None:
    letters = look(DeadLetterQueue(sqs, DEAD), 1_000)  # type: ignore[arg-type]
    next(letters)
    assert hidden(sqs) == 10
    letters.close()
    assert hidden(sqs) == 0
