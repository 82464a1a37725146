"""Halted groups."""

from typing import Any

from job_runtime.halt import Halts
from tests.support.clock import FakeClock
from tests.support.job import JOB_TABLE, Job


def test_a_group_is_halted_behind_its_first_message_until_it_is_released(job: Job, clock: FakeClock) -> None:
    halts = Halts(job.dynamodb, JOB_TABLE, clock)
    assert not halts.is_halted("t1#2026-11")
    halts.halt("t1#2026-11", "m1")
    clock.advance(60)
    halts.halt("t1#2026-11", "m2")
    assert halts.is_halted("t1#2026-11")
    assert job.rows() == [
        {
            "pk": "halt#t1#2026-11",
            "sk": "halt",
            "message_id": "m1",
            "halted_at": "2026-11-30T18:00:00.000000Z",
        }
    ]
    assert not halts.is_halted("t1#2026-12")
    halts.release("t1#2026-11")
    halts.release("t1#2026-11")
    assert not halts.is_halted("t1#2026-11")


def test_a_halt_is_read_consistently(clock: FakeClock) -> None:
    asked: list[dict[str, Any]] = []

    class Table:
        def get_item(self, **request: Any) -> dict[str, Any]:
            asked.append(request)
            return {}

    assert not Halts(Table(), "job", clock).is_halted("g")  # type: ignore[arg-type]
    assert asked == [
        {
            "TableName": "job",
            "Key": {"pk": {"S": "halt#g"}, "sk": {"S": "halt"}},
            "ConsistentRead": True,
            "ProjectionExpression": "pk",
        }
    ]
