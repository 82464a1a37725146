"""From rows to messages: each row has one outcome, and the log names what was not sent without repeating
it."""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest

from job_runtime import aws
from job_runtime.config import Settings
from job_runtime.directory import Row
from job_runtime.envelope import Contract, MalformedMessageError
from job_runtime.identity import idempotency_key
from job_runtime.observe import observer
from job_runtime.outbox import LargePayloads, MessageBuilder, Outbox
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.payloads import Payloads
from job_runtime.runs import Counts
from job_runtime.sender import Sender
from tests.support.clock import FakeClock
from tests.support.job import Job

PERIOD = "2026-11"
TIME = "2026-11-30T18:00:00Z"
SECRET = "Hanako-4242"


def row(employee: str = "e1", tenant: str = "t1", **attributes: Any) -> Row:
    return Row(tenant, f"employee#{employee}", {"amount": 1200, "currency": "JPY", **attributes})


def test_a_charge_carries_amount_and_currency_and_nothing_else_of_the_row() -> None:
    message = MessageBuilder("charge", "tenant-month").build(row(name=SECRET), PERIOD, TIME)
    parsed = Contract("charge", PAYLOAD_SCHEMAS["charge"]).parse(message.body)
    assert parsed.payload == {"amount": 1200, "currency": "JPY"}
    assert (parsed.tenant_id, parsed.employee_id, parsed.period) == ("t1", "e1", "2026-11")
    assert (parsed.run_id, parsed.scheduled_time) == ("charge-2026-11", TIME)
    assert message.key == parsed.idempotency_key == idempotency_key("charge", "t1", "e1", "2026-11")
    assert SECRET not in message.body


def test_a_co2_message_carries_the_emissions() -> None:
    emissions = [{"category": "rail", "grams": 1200}, {"category": "taxi", "grams": 0}]
    message = MessageBuilder("co2", "tenant-month").build(row(emissions=emissions), PERIOD, TIME)
    assert json.loads(message.body)["payload"] == {"emissions": emissions}


def test_an_amount_of_zero_is_sent() -> None:
    message = MessageBuilder("charge", "tenant-month").build(row(amount=0), PERIOD, TIME)
    assert json.loads(message.body)["payload"]["amount"] == 0


def test_the_scope_decides_the_group() -> None:
    assert MessageBuilder("charge", "tenant-month").build(row(), PERIOD, TIME).group == "t1#2026-11"
    assert MessageBuilder("charge", "wallet").build(row(), PERIOD, TIME).group == "t1#e1"


@pytest.mark.parametrize("tenant", ["東京支店", "a b", "🍣", "t" * 125, "a#b"])
def test_a_tenant_outside_the_alphabet_of_sqs_gets_a_group_of_its_own(tenant: str) -> None:
    builder = MessageBuilder("charge", "tenant-month")
    group = builder.build(row(tenant=tenant), PERIOD, TIME).group
    assert group.isascii()
    assert len(group) == 64
    assert builder.build(row("e2", tenant=tenant), PERIOD, TIME).group == group
    assert builder.build(row(tenant=tenant + "x"), PERIOD, TIME).group != group


@pytest.mark.parametrize(
    ("job", "attributes", "field"),
    [
        ("charge", {"amount": Decimal("1200.5")}, "amount"),
        ("charge", {"amount": -1}, "amount"),
        ("charge", {"amount": 10**12 + 1}, "amount"),
        ("charge", {"amount": True}, "amount"),
        ("charge", {"amount": "1200"}, "amount"),
        ("charge", {"amount": None}, "amount"),
        ("charge", {"amount": [SECRET]}, "amount"),
        ("charge", {"currency": "USD"}, "currency"),
        ("charge", {"currency": ""}, "currency"),
        ("co2", {}, "emissions"),
        ("co2", {"emissions": None}, "emissions"),
        ("co2", {"emissions": [{"category": "rail"}]}, "emissions.0"),
        ("co2", {"emissions": [{"category": "rail", "grams": Decimal("0.5")}]}, "emissions.0.grams"),
        ("co2", {"emissions": [{"category": " ", "grams": 1}]}, "emissions.0.category"),
        ("co2", {"emissions": [{"category": "rail", "grams": -1}]}, "emissions.0.grams"),
        ("co2", {"emissions": [{"category": "rail", "grams": 1, "name": SECRET}]}, "emissions.0"),
    ],
)
def test_a_broken_column_is_named_with_its_rule_and_without_its_value(
    job: str, attributes: dict[str, Any], field: str
) -> None:
    with pytest.raises(MalformedMessageError) as broken:
        MessageBuilder(job, "tenant-month").build(row(name=SECRET, **attributes), PERIOD, TIME)
    assert field in str(broken.value)
    assert SECRET not in str(broken.value)


@pytest.mark.parametrize("column", ["amount", "currency"])
def test_a_missing_column_is_named(column: str) -> None:
    attributes = {"amount": 1, "currency": "JPY"}
    del attributes[column]
    with pytest.raises(MalformedMessageError, match=f"must have {column}"):
        MessageBuilder("charge", "tenant-month").build(Row("t1", "employee#e1", attributes), PERIOD, TIME)


@pytest.mark.parametrize(
    ("tenant", "sort_key", "field"),
    [
        ("t1", "employee#", "employee_id"),
        ("t1", "employee# ", "employee_id"),
        ("t1", "employee#a\u0007b", "employee_id"),
        ("t1", "employee#a\uffffb", "employee_id"),
        ("t1", "employee#" + "x" * 201, "employee_id"),
        (" ", "employee#e1", "tenant_id"),
        ("t1", "invoice#2026", "sk"),
    ],
)
def test_a_key_that_names_no_employee_is_refused(tenant: str, sort_key: str, field: str) -> None:
    with pytest.raises(MalformedMessageError, match=f"^{field}: "):
        MessageBuilder("charge", "tenant-month").build(
            Row(tenant, sort_key, {"amount": 1, "currency": "JPY"}), PERIOD, TIME
        )


def test_a_large_payload_goes_to_the_bucket_and_a_small_one_stays_in_its_message(mocked_aws: None) -> None:
    location: Any = {"LocationConstraint": "ap-northeast-1"}
    aws.s3().create_bucket(Bucket="payloads", CreateBucketConfiguration=location)
    builder = MessageBuilder("co2", "tenant-month", LargePayloads(Payloads(aws.s3(), "payloads"), 1000))
    contract = Contract("co2", PAYLOAD_SCHEMAS["co2"])
    small, large = ([{"category": "rail", "grams": n} for n in range(count)] for count in (1, 100))
    assert contract.parse(builder.build(row(emissions=small), PERIOD, TIME).body).payload_ref is None
    message = builder.build(row(emissions=large), PERIOD, TIME)
    assert message.size < 1000
    received = contract.parse(message.body)
    assert received.payload is None
    stored = Payloads(aws.s3(), "payloads").load(received, contract)
    assert stored.payload == {"emissions": large}


class Harness:
    """An outbox on a moto queue, with what it logged and counted."""

    def __init__(
        self, job: Job, sender: Sender, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.observer = observer(Settings(job.environment()))
        self.outbox = Outbox(MessageBuilder("charge", "tenant-month"), sender, self.observer)
        self._caplog = caplog
        self._capsys = capsys

    def lines(self) -> list[Mapping[str, Any]]:
        """The log's lines, with the keys they carry."""
        return [vars(record) for record in self._caplog.records]

    def metrics(self) -> Mapping[str, Any]:
        """What was counted, as CloudWatch would read it from the log."""
        self.observer.metrics.flush_metrics()
        document: Mapping[str, Any] = json.loads(self._capsys.readouterr().out.splitlines()[-1])
        return document


@pytest.fixture
def harness(
    job: Job, clock: FakeClock, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> Iterator[Harness]:
    with Sender(aws.sqs(), job.queue_url, clock=clock) as sender:
        yield Harness(job, sender, caplog, capsys)


def test_one_bad_record_is_told_by_its_key_and_the_others_are_sent(harness: Harness) -> None:
    rows = [row(f"e{n}", name=SECRET) for n in range(12)]
    rows[5] = row("e5", amount="lots")
    assert harness.outbox.send(rows, PERIOD, TIME) == Counts(sent=11, skipped=1)
    (told,) = harness.lines()
    assert (told["levelname"], told["msg"], told["run_id"]) == ("ERROR", "record skipped", "charge-2026-11")
    assert told["idempotency_key"] == idempotency_key("charge", "t1", "e5", "2026-11")
    assert told["reason"].startswith("amount: ")
    assert SECRET not in str(told)
    metrics = harness.metrics()
    assert (metrics["Dispatched"], metrics["DispatchSkipped"]) == ([11.0], [1.0])
    assert metrics["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]


def test_what_sqs_refuses_is_told_and_counted_as_failed(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*, Entries: list[dict[str, Any]], **_: Any) -> dict[str, Any]:  # noqa: N803 - boto3's name
        (entry,) = Entries
        if '"e1"' in entry["MessageBody"]:
            return {"Failed": [{"Id": entry["Id"], "Code": "InternalError", "SenderFault": True}]}
        return {"Successful": [{"Id": entry["Id"]}]}

    monkeypatch.setattr(aws.sqs(), "send_message_batch", refuse)
    assert harness.outbox.send([row("e1"), row("e2")], PERIOD, TIME) == Counts(sent=1, failed=1)
    (failed,) = harness.lines()
    assert (failed["msg"], failed["reason"]) == ("message not sent", "SQS: InternalError")
    assert failed["idempotency_key"] == idempotency_key("charge", "t1", "e1", "2026-11")
    assert harness.metrics()["DispatchFailed"] == [1.0]


def test_a_message_that_is_too_large_for_sqs_counts_as_skipped(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("job_runtime.sender.BATCH_BYTES", 300)
    assert harness.outbox.send([row("e" * 150)], PERIOD, TIME) == Counts(skipped=1)
    assert harness.lines()[0]["reason"].startswith("body and attributes: must be at most")
