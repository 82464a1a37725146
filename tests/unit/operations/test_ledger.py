"""What the job table is asked about a message whose body may say anything."""

import json
from datetime import UTC, datetime

import pytest

from job_runtime.dead_letters import DeadLetter
from operations.dlq.ledger import known
from tests.support.job import JOB_TABLE, Job
from tests.support.sqs_events import charge


def letter(**changes: object) -> DeadLetter:
    body = json.dumps({**json.loads(charge().body()), **changes})
    return DeadLetter("d1", "r", body, "g", 1, datetime(2026, 12, 1, tzinfo=UTC), 1, None, {})


def test_a_message_that_took_no_effect_is_said_to_be_so(job: Job) -> None:
    assert known(job.dynamodb, JOB_TABLE, letter()) == {"state": "no effect"}


@pytest.mark.parametrize(
    "changes",
    [
        {"tenant_id": ""},
        {"tenant_id": "t" * 3000},
        {"employee_id": "\ud800"},
        {"job": "j" * 1000},
        {"period": "2026-13"},
        {"period": None},
    ],
    ids=["empty", "long", "half a pair", "job", "period", "none"],
)
def test_names_that_no_row_can_have_are_unknown_and_no_error(job: Job, changes: dict[str, object]) -> None:
    assert known(job.dynamodb, JOB_TABLE, letter(**changes)) == {"state": "unknown"}
