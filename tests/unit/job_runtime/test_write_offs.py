"""Effects that a person has written off."""

import json
from datetime import UTC, datetime
from typing import Any

from job_runtime.dead_letters import DeadLetter
from job_runtime.write_offs import WriteOff, WriteOffs
from tests.support.clock import FakeClock
from tests.support.job import JOB_TABLE, Job
from tests.support.sqs_events import charge

WHY = WriteOff("left the company", "arn:aws:iam::111122223333:user/night")


def letter(body: str) -> DeadLetter:
    reason: Any = {"failure_class": {"DataType": "String", "StringValue": "rejected"}}
    return DeadLetter("d1", "r", body, "g", 1, datetime(2026, 12, 1, tzinfo=UTC), 1, None, reason)


def test_a_write_off_is_kept_by_its_key_with_who_and_why(job: Job, clock: FakeClock) -> None:
    write_offs = WriteOffs(job.dynamodb, JOB_TABLE, "charge", clock)
    message = charge()
    write_offs.enter(letter(message.body()), WHY)
    assert job.rows() == [
        {
            "pk": "written-off#charge",
            "sk": f"2026-11#{message.idempotency_key}",
            "reason": "left the company",
            "written_off_by": "arn:aws:iam::111122223333:user/night",
            "written_off_at": "2026-11-30T18:00:00.000000Z",
            "failure_class": "rejected",
            "message_id": "d1",
        }
    ]


def test_a_periods_write_offs_are_those_of_the_job_and_the_period(job: Job, clock: FakeClock) -> None:
    write_offs = WriteOffs(job.dynamodb, JOB_TABLE, "charge", clock)
    for period in ("2026-11", "2026-12"):
        write_offs.enter(letter(charge(period=period).body()), WHY)
    WriteOffs(job.dynamodb, JOB_TABLE, "co2", clock).enter(letter(charge().body()), WHY)
    assert list(write_offs.of_period("2026-11")) == [(charge().idempotency_key, "left the company")]
    assert list(write_offs.of_period("2026-10")) == []


def test_what_is_no_message_and_what_is_lost_are_entered_too(job: Job, clock: FakeClock) -> None:
    write_offs = WriteOffs(job.dynamodb, JOB_TABLE, "charge", clock)
    write_offs.enter(letter("{not json"), WHY)
    write_offs.enter(letter(json.dumps({"period": "2026-11"})), WHY)
    write_offs.enter_group("t1#2026-11", WHY)
    assert [row["sk"] for row in job.rows()] == ["2026-11#d1", "none#d1", "none#t1#2026-11"]
    assert job.rows()[-1]["group"] == "t1#2026-11"


def test_what_a_malformed_message_calls_its_key_and_period_never_keeps_it_from_being_written_off(
    job: Job, clock: FakeClock
) -> None:
    write_offs = WriteOffs(job.dynamodb, JOB_TABLE, "charge", clock)
    for broken in (
        {"period": "9" * 3000, "idempotency_key": "k" * 3000},
        {"period": "\ud800", "idempotency_key": "\ud800"},
        {"period": "2026-11#x", "idempotency_key": "2026-11#" + "0" * 64},
    ):
        write_offs.enter(letter(json.dumps(broken)), WHY)
        assert [row["sk"] for row in job.rows()] == ["none#d1"]
