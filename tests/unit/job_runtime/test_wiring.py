"""A consumer from its environment."""

from typing import Any

import pytest

from job_runtime import aws
from job_runtime.config import ConfigurationError, Settings
from job_runtime.consumer import Consumer
from job_runtime.effects import Effect
from job_runtime.envelope import Contract
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.wiring import consumer_from
from tests.support.clock import FakeClock
from tests.support.faulty import client_error
from tests.support.job import Job, classes
from tests.support.lambda_context import FakeContext
from tests.support.sqs_events import STANDARD_ARN, charge, failures, sqs_event, sqs_record

BASE = {
    "JOB_NAME": "charge",
    "JOB_TABLE": "job",
    "QUEUE_URL": "https://sqs.example/1/charge.fifo",
    "DLQ_URL": "https://sqs.example/1/charge-dlq.fifo",
}


def made(**environment: str) -> Consumer:
    return consumer_from(
        Settings({**BASE, **environment}),
        contract=Contract("charge", PAYLOAD_SCHEMAS["charge"]),
        apply=lambda _message, _record: Effect.APPLIED,
        done_metric="Charged",
        clock=FakeClock(),
    )


def test_defaults(mocked_aws: None) -> None:
    consumer = made()
    assert (consumer.max_attempts, consumer.threads) == (5, 10)
    assert consumer.halts is None
    assert consumer.payloads is None


def test_settings_are_taken(mocked_aws: None) -> None:
    consumer = made(
        MAX_ATTEMPTS="1", BATCH_THREADS="1", ON_QUARANTINE="halt-group", PAYLOAD_BUCKET="payloads"
    )
    assert (consumer.max_attempts, consumer.threads) == (1, 1)
    assert consumer.halts is not None
    assert consumer.payloads is not None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"DLQ_URL": "https://sqs.example/1/charge-dlq"}, "DLQ_URL must be a queue of the kind"),
        ({"QUEUE_URL": "https://sqs.example/1/charge"}, "DLQ_URL must be a queue of the kind"),
        ({"MAX_ATTEMPTS": "101"}, "MAX_ATTEMPTS must"),
        ({"BATCH_THREADS": "33"}, "BATCH_THREADS must"),
        ({"BATCH_THREADS": "0"}, "BATCH_THREADS must"),
        ({"ON_QUARANTINE": "halt"}, "ON_QUARANTINE must be one of"),
        ({"JOB_TABLE": ""}, "JOB_TABLE is not set"),
        (
            {
                "QUEUE_URL": "https://sqs.example/1/charge",
                "DLQ_URL": "https://sqs.example/1/charge-dlq",
                "ON_QUARANTINE": "halt-group",
            },
            "ON_QUARANTINE must be continue",
        ),
    ],
)
def test_a_wrong_setting_stops_the_start_by_name(
    mocked_aws: None, change: dict[str, str], named: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"^{named}"):
        made(**change)


def test_a_standard_queue_is_served_alike(mocked_aws: None, clock: FakeClock) -> None:
    job = Job.create(aws.dynamodb(), aws.sqs(), fifo=False)

    def apply(message: Any, _record: Any) -> Effect:
        if message.employee_id == "e1":
            raise client_error("ThrottlingException")
        return Effect.APPLIED

    consumer = consumer_from(
        Settings(job.environment()),
        contract=Contract("charge", PAYLOAD_SCHEMAS["charge"]),
        apply=apply,
        done_metric="Charged",
        clock=clock,
    )
    batch = sqs_event(
        *(sqs_record(charge(employee=name), name, arn=STANDARD_ARN) for name in ("e1", "e2", "e3")),
        sqs_record("{", "broken", arn=STANDARD_ARN),
    )
    assert failures(consumer(batch, FakeContext())) == ["e1"]
    (letter,) = job.dead_letters()
    assert classes([letter]) == ["malformed"]
