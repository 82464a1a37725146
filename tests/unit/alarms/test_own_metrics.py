"""The functions publish the metrics that alarms are for, at the coordinates that are documented for them."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from charge_consumer.payment import PaymentApi
from charge_consumer.wiring import build as build_consumer
from dlq_redriver.wiring import build as build_redriver
from job_runtime import aws
from job_runtime.config import Settings
from job_runtime.failures import UnknownOutcomeError
from job_runtime.runs import Runs
from local.payment_stub import Fault, PaymentStub
from monthly_dispatcher.dispatcher import DispatchError
from monthly_dispatcher.wiring import build as build_dispatcher
from run_auditor.wiring import build as build_auditor
from tests.alarms.documented import DOCUMENTED, OWN, Place
from tests.support.clock import FakeClock
from tests.support.dispatch import Invocation, enter, keys, refusing
from tests.support.job import JOB_TABLE, Job
from tests.support.lambda_context import FakeContext
from tests.support.queues import Sqs
from tests.support.sqs_events import charge, sqs_event, sqs_record

FIRED = {"job": "charge", "scheduled_time": "2026-11-30T18:00:00Z"}
THING = {"name": "charge", "namespace": "FanoutOnce", "queue": "charge.fifo"}
PLACES = {
    feed.metric: feed.place(THING)
    for entry in DOCUMENTED
    for variant in entry.variants
    for feed in variant
    if feed.namespace == OWN
}


@pytest.fixture
def settings(job: Job) -> Settings:
    return Settings(job.environment(TIMEZONE="Asia/Tokyo", PAGE_SIZE="10"))


@pytest.fixture
def published(capsys: pytest.CaptureFixture[str]) -> Callable[[], dict[Place, float]]:
    """What was published since the last call: the highest value at each place, as CloudWatch reads it."""

    def read() -> dict[Place, float]:
        found: dict[Place, float] = {}
        for line in capsys.readouterr().out.splitlines():
            record = json.loads(line)
            for directive in record.get("_aws", {}).get("CloudWatchMetrics", ()):
                for names in directive["Dimensions"]:
                    dimensions = tuple((name, record[name]) for name in sorted(names))
                    for metric in directive["Metrics"]:
                        place = Place(directive["Namespace"], metric["Name"], dimensions)
                        found[place] = max(found.get(place, 0.0), *record[metric["Name"]])
        return found

    return read


Published = Callable[[], dict[Place, float]]


def holds(published: Published, *metrics: str) -> None:
    found = published()
    for metric in metrics:
        assert found.get(PLACES[metric], 0.0) >= 1, (metric, found)


def test_every_own_metric_is_published_by_a_test_below() -> None:
    assert set(PLACES) == {
        *("Quarantined", "PayloadMismatch", "Retried", "UnknownOutcome"),
        *("RunMissing", "RunLate", "RunMissingItems"),
        *("DispatchFailed", "DispatchSkipped", "DuplicateRun"),
        *("RedriveCapReached", "RedriveFailed"),
    }


def test_a_consumer(job: Job, settings: Settings, clock: FakeClock, published: Published) -> None:
    consumer = build_consumer(settings, clock)
    for message in (charge(), charge(amount=2), charge(tenant="nobody")):
        consumer(sqs_event(sqs_record(message)), FakeContext())
    job.dynamodb.delete_table(TableName=JOB_TABLE)
    consumer(sqs_event(sqs_record(charge(employee="e2"))), FakeContext())
    holds(published, "Quarantined", "PayloadMismatch", "Retried")


def test_a_consumer_that_captures_outside(
    job: Job, clock: FakeClock, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(_self: PaymentApi, _message: Any) -> str | None:
        raise UnknownOutcomeError("payment: HTTP 500 does not say whether there is a capture")

    monkeypatch.setattr(PaymentApi, "find", down)
    with PaymentStub(faults={Fault.TOOK_503: 1}, replays=False) as stub:
        consumer = build_consumer(Settings(job.environment(PAYMENT_ENDPOINT=stub.endpoint)), clock)
        consumer(sqs_event(sqs_record(charge())), FakeContext())
    holds(published, "UnknownOutcome", "Retried")


def test_an_auditor(job: Job, settings: Settings, clock: FakeClock, published: Published) -> None:
    auditor = build_auditor(settings, clock)
    auditor(FIRED, Invocation())
    holds(published, "RunMissing")
    enter("t1", range(1))
    runs = Runs(aws.dynamodb(), JOB_TABLE, clock=clock, writer="killed")
    runs.begin("charge", "2026-11", fire="f1", scheduled_time=FIRED["scheduled_time"])
    auditor(FIRED, Invocation())
    holds(published, "RunLate", "RunMissingItems")


def test_a_dispatcher(
    job: Job, settings: Settings, clock: FakeClock, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(2))
    enter("t1", [2], amount={"S": "lots"}, currency={"S": "JPY"})
    (bad,) = keys("t1", [1])
    send = aws.sqs().send_message_batch
    monkeypatch.setattr(aws.sqs(), "send_message_batch", refusing(bad, send, times=10**6, for_good=True))
    dispatcher = build_dispatcher(settings, clock)
    with pytest.raises(DispatchError):
        dispatcher(FIRED, Invocation("r1"))
    with pytest.raises(DispatchError):
        dispatcher(FIRED, Invocation("r2"))
    holds(published, "DispatchFailed", "DispatchSkipped", "DuplicateRun")


def test_a_redriver(clock: FakeClock, published: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    queue, dead = "https://sqs/1/charge.fifo", "https://sqs/1/charge-dlq.fifo"
    sqs = Sqs(clock, "charge.fifo", "charge-dlq.fifo")
    quiet = {"AlarmName": "quiet", "StateValue": "OK"}
    long_ago = clock.now().replace(year=2020)
    moments = {"StateUpdatedTimestamp": long_ago, "StateTransitionedTimestamp": long_ago}
    answer = {"MetricAlarms": [quiet | moments], "CompositeAlarms": []}
    monkeypatch.setattr(aws, "sqs", lambda: sqs)
    monkeypatch.setattr(aws, "cloudwatch", lambda: SimpleNamespace(describe_alarms=lambda **_: answer))

    def bury(name: str, **attributes: str) -> None:
        sqs.send_message(
            QueueUrl=dead,
            MessageBody=json.dumps({"idempotency_key": name}),
            MessageGroupId=name,
            MessageDeduplicationId=name,
            MessageAttributes={
                key: {"DataType": "String", "StringValue": value} for key, value in attributes.items()
            },
        )

    bury("refused", failure_class="transient")
    sqs.refusing[sqs.queues[dead].bodies()[0]] = 5
    bury("capped", failure_class="transient", redrives="3")
    clock.advance(86_400)
    variables = {"JOB_NAME": "charge", "QUEUE_URL": queue, "DLQ_URL": dead, "ALARM_NAMES": "quiet"}
    build_redriver(Settings(variables), clock)({"job": "charge"}, FakeContext())
    holds(published, "RedriveFailed", "RedriveCapReached")
