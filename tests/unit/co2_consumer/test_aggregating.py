"""Emissions of a month, added up once through Powertools, without its traps."""

import importlib
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from co2_consumer import aggregation as module
from co2_consumer.wiring import build
from job_runtime import aws
from job_runtime.config import ConfigurationError, Settings
from job_runtime.envelope import Message
from job_runtime.records import records_of
from job_runtime.tenants import Tenants
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, Lost, client_error, timeout
from tests.support.job import DIRECTORY_TABLE, JOB_TABLE, Job, classes
from tests.support.lambda_context import FakeContext
from tests.support.output import Output
from tests.support.sqs_events import STANDARD_ARN, charge, failures, sqs_event, sqs_record

IDEMPOTENCY_TABLE = "claims"


def co2(*grams: int, tenant: str = "t1", employee: str = "e1", category: str = "rail") -> Message:
    """A co2 message with one emission of `category` for each of `grams`."""
    return charge(
        tenant,
        employee,
        job="co2",
        run_id="co2-2026-11",
        payload={"emissions": [{"category": category, "grams": amount} for amount in grams]},
    )


@pytest.fixture
def dynamodb(job: Job, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    job.dynamodb.create_table(
        TableName=IDEMPOTENCY_TABLE,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    )
    client = Faulty(job.dynamodb)
    monkeypatch.setattr(aws, "dynamodb", lambda: client)
    return client


@pytest.fixture
def environment(job: Job) -> dict[str, str]:
    return job.environment("co2", IDEMPOTENCY_TABLE=IDEMPOTENCY_TABLE)


Consume = Callable[..., list[str]]


@pytest.fixture
def consume(environment: dict[str, str], dynamodb: Faulty, clock: FakeClock) -> Consume:
    """Handles batches with one consumer, made at the first: its logger keeps the stream that it finds
    then."""
    consumer = cache(lambda: build(Settings(environment), clock))

    def batch(*messages: Message | str, context: FakeContext | None = None) -> list[str]:
        records = (sqs_record(message, f"m{place}") for place, message in enumerate(messages, 1))
        return failures(consumer()(sqs_event(*records), context or FakeContext()))

    return batch


def claims(job: Job) -> list[dict[str, Any]]:
    return job.dynamodb.scan(TableName=IDEMPOTENCY_TABLE)["Items"]


def test_emissions_are_added_up_by_category(job: Job, consume: Consume) -> None:
    message = charge(
        "t1",
        "e1",
        job="co2",
        run_id="co2-2026-11",
        payload={
            "emissions": [
                {"category": "rail", "grams": 100},
                {"category": "航空", "grams": 5_000},
                {"category": "rail", "grams": 11},
            ]
        },
    )
    assert consume(message) == []
    assert job.row("t1", "co2#2026-11#e1") == {
        "pk": "t1",
        "sk": "co2#2026-11#e1",
        "grams": 5111,
        "by_category": {"rail": 111, "航空": 5000},
        "payload_hash": message.payload_hash,
        "run_id": "co2-2026-11",
        "sequence_number": "18850000000000000000",
        "aggregated_at": "2026-11-30T18:00:00.000000Z",
    }


def test_an_employee_without_emissions_has_a_row_of_zero(job: Job, consume: Consume) -> None:
    assert consume(co2()) == []
    row = job.row("t1", "co2#2026-11#e1")
    assert row is not None
    assert (row["grams"], row["by_category"]) == (0, {})


def test_a_second_delivery_is_a_duplicate(
    consume: Consume, dynamodb: Faulty, output: Callable[[], Output]
) -> None:
    assert [consume(co2(5)), consume(co2(5))] == [[], []]
    assert output().metrics == {"Aggregated": 1, "Duplicate": 1}
    assert dynamodb.calls.count("put_item") == 3


def test_a_message_costs_three_requests_once_its_tenant_is_known(consume: Consume, dynamodb: Faulty) -> None:
    consume(co2(5))
    dynamodb.calls.clear()
    consume(co2(5, employee="e2"))
    assert dynamodb.calls == ["put_item", "put_item", "update_item"]


def test_another_payload_under_the_key_is_quarantined_and_the_row_stays(
    job: Job, consume: Consume, output: Callable[[], Output]
) -> None:
    consume(co2(5))
    before = job.row("t1", "co2#2026-11#e1")
    assert consume(co2(6)) == []
    assert classes(job.dead_letters()) == ["rejected"]
    assert job.row("t1", "co2#2026-11#e1") == before
    assert output().metrics == {"Aggregated": 1, "Quarantined": 1, "PayloadMismatch": 1}


def test_the_order_of_members_is_no_other_payload(consume: Consume, output: Callable[[], Output]) -> None:
    consume(co2(5))
    assert (
        consume(json.dumps(dict(reversed(json.loads(co2(5).body()).items()))).replace(": 5", ": 5.0")) == []
    )
    assert output().metrics == {"Aggregated": 1, "Duplicate": 1}


def test_a_claim_has_a_fixed_prefix_a_lease_end_and_ninety_days(
    job: Job, consume: Consume, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[dict[str, Any]] = []
    written = module.Aggregation._write

    def look(self: module.Aggregation, **arguments: Any) -> str:
        held.extend(claims(job))
        return written(self, **arguments)

    monkeypatch.setattr(module.Aggregation, "_write", look)
    consumer = build(Settings(job.environment("co2", IDEMPOTENCY_TABLE=IDEMPOTENCY_TABLE)), FakeClock())
    consumer(sqs_event(sqs_record(co2(5), "m1")), FakeContext(30_000))
    (claim,) = held
    assert claim["status"] == {"S": "INPROGRESS"}
    assert int(claim["in_progress_expiration"]["N"]) > 0
    (done,) = claims(job)
    assert done["id"]["S"].startswith("co2#")
    assert len(done["id"]["S"]) == len("co2#") + 64
    remaining = int(done["expiration"]["N"]) - int(claim["in_progress_expiration"]["N"]) // 1000
    assert abs(remaining - (90 * 24 * 3600 - 30)) <= 5


def test_the_claims_of_a_renamed_function_are_recognised(
    job: Job, consume: Consume, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    consume(co2(5))

    def renamed(self: module.Aggregation, **_arguments: Any) -> str:
        raise AssertionError("it ran again")

    monkeypatch.setattr(module.Aggregation, "_write", renamed)
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "another-name")
    other = build(Settings(environment), FakeClock())
    assert failures(other(sqs_event(sqs_record(co2(5), "m1")), FakeContext())) == []
    assert len(claims(job)) == 1


def test_a_crash_inside_is_run_again_once_its_lease_has_ended(
    job: Job, environment: dict[str, str], dynamodb: Faulty, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    consumer = build(Settings(environment), clock)
    batch = sqs_event(sqs_record(co2(5), "m1"))
    with monkeypatch.context() as patch:
        patch.setattr(dynamodb, "faults", {"put_item": [None, Killed()]})
        assert failures(consumer(batch, FakeContext(60_000))) == ["m1"]
    assert failures(consumer(batch, FakeContext())) == ["m1"], (
        "another delivery is at it, as far as one can tell"
    )
    assert job.dead_letters() == []
    (claim,) = claims(job)
    job.dynamodb.update_item(
        TableName=IDEMPOTENCY_TABLE,
        Key={"id": claim["id"]},
        UpdateExpression="SET in_progress_expiration = :past",
        ExpressionAttributeValues={":past": {"N": "1"}},
    )
    assert failures(consumer(batch, FakeContext())) == []
    assert job.row("t1", "co2#2026-11#e1") is not None


def test_a_failing_write_frees_its_claim(job: Job, consume: Consume, dynamodb: Faulty) -> None:
    dynamodb.faults["put_item"] = [None, client_error("ThrottlingException")]
    assert consume(co2(5)) == ["m1"]
    assert claims(job) == []
    assert consume(co2(5)) == []


@pytest.mark.parametrize("fault", [timeout(), client_error("ThrottlingException"), Lost(timeout())])
def test_a_passing_fault_of_the_claims_table_is_transient(
    job: Job, consume: Consume, dynamodb: Faulty, output: Callable[[], Output], fault: Exception
) -> None:
    dynamodb.faults["put_item"] = [fault]
    assert consume(co2(5)) == ["m1"]
    assert [line["outcome"] for line in output().messages] == ["transient"]
    assert job.dead_letters() == []


def test_a_lasting_fault_of_the_claims_table_is_told_by_its_code(
    consume: Consume, dynamodb: Faulty, output: Callable[[], Output]
) -> None:
    dynamodb.faults["put_item"] = [client_error("AccessDeniedException", "PutItem")]
    assert consume(co2(5)) == ["m1"]
    assert [line["summary"] for line in output().messages] == ["PutItem: AccessDeniedException"]


def test_an_unknown_tenant_claims_nothing(job: Job, consume: Consume) -> None:
    assert consume(co2(5, tenant="nobody")) == []
    assert classes(job.dead_letters()) == ["rejected"]
    assert claims(job) == []


@pytest.mark.parametrize("grams", [-1, 10**15 + 1, 0.5, True, None, "5"])
def test_an_emission_that_is_no_whole_number_in_range_is_malformed(
    job: Job, consume: Consume, grams: Any
) -> None:
    assert consume(co2(grams)) == []
    assert classes(job.dead_letters()) == ["malformed"]


def test_a_charge_in_the_queue_of_co2_is_malformed(job: Job, consume: Consume) -> None:
    assert consume(charge()) == []
    assert classes(job.dead_letters()) == ["malformed"]


def test_first_messages_in_several_threads_are_all_guarded(job: Job, consume: Consume) -> None:
    job.enter_tenants(*(f"tenant-{number}" for number in range(10)))
    assert consume(*(co2(number, tenant=f"tenant-{number}") for number in range(10))) == []
    assert len(claims(job)) == 10
    assert {claim["id"]["S"].partition("#")[0] for claim in claims(job)} == {"co2"}


def test_without_the_invocations_end_nothing_is_done_and_nothing_warned(
    job: Job, dynamodb: Faulty, clock: FakeClock, recwarn: pytest.WarningsRecorder
) -> None:
    tenants = Tenants(aws.dynamodb(), DIRECTORY_TABLE, clock)
    aggregation = module.Aggregation(aws.dynamodb(), JOB_TABLE, IDEMPOTENCY_TABLE, tenants, clock)
    (record,) = records_of(sqs_event(sqs_record(co2(5), "m1")))
    with pytest.raises(RuntimeError, match="call begin"):
        aggregation.apply(co2(5), record)
    assert not recwarn.list
    assert claims(job) == []


@pytest.mark.parametrize("name", ["IDEMPOTENCY_TABLE", "JOB_TABLE", "DIRECTORY_TABLE", "JOB_NAME"])
def test_a_missing_variable_stops_the_start_by_name(
    environment: dict[str, str], dynamodb: Faulty, clock: FakeClock, name: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} is not set"):
        build(Settings({**environment, name: ""}), clock)


def test_idempotency_cannot_be_switched_off(
    environment: dict[str, str], dynamodb: Faulty, clock: FakeClock
) -> None:
    with pytest.raises(ConfigurationError, match=r"^POWERTOOLS_IDEMPOTENCY_DISABLED"):
        build(Settings({**environment, "POWERTOOLS_IDEMPOTENCY_DISABLED": "true"}), clock)


@pytest.mark.parametrize("package", ["charge_consumer", "co2_consumer"])
def test_the_lambda_entry_handles_a_batch(
    job: Job, dynamodb: Faulty, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    names = {"charge_consumer": "charge", "co2_consumer": "co2"}
    for name, value in {**environment, "JOB_NAME": names[package]}.items():
        monkeypatch.setenv(name, value)
    entry = importlib.reload(importlib.import_module(f"{package}.handler"))
    message = {"charge": charge(), "co2": co2(5)}[names[package]]
    assert failures(entry.handler(sqs_event(sqs_record(message, "m1")), FakeContext())) == []
    assert job.row("t1", f"{names[package]}#2026-11#e1") is not None


def test_a_row_from_a_standard_queue_has_no_sequence_number(
    job: Job, environment: dict[str, str], dynamodb: Faulty, clock: FakeClock
) -> None:
    batch = sqs_event(sqs_record(co2(5), "m1", arn=STANDARD_ARN))
    assert failures(build(Settings(environment), clock)(batch, FakeContext())) == []
    row = job.row("t1", "co2#2026-11#e1")
    assert row is not None
    assert "sequence_number" not in row
