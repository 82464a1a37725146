"""Which tenants are known."""

from typing import Any

import pytest

from job_runtime.failures import RejectedError
from job_runtime.tenants import KNOWN_FOR, Tenants
from tests.support.clock import FakeClock


class Table:
    """A directory that answers with `item` and remembers what it was asked."""

    def __init__(self, item: dict[str, Any] | None) -> None:
        self.item = item
        self.asked: list[dict[str, Any]] = []

    def get_item(self, **request: Any) -> dict[str, Any]:
        self.asked.append(request)
        return {"Item": self.item} if self.item is not None else {}


def tenants(table: Table, clock: FakeClock) -> Tenants:
    client: Any = table
    return Tenants(client, "directory", clock)


ACTIVE = {"status": {"S": "active"}}


def test_an_active_tenant_is_asked_for_consistently_and_remembered(clock: FakeClock) -> None:
    table = Table(ACTIVE)
    known = tenants(table, clock)
    known.require("t1")
    clock.advance(KNOWN_FOR.total_seconds() - 1)
    known.require("t1")
    assert table.asked == [
        {
            "TableName": "directory",
            "Key": {"pk": {"S": "t1"}, "sk": {"S": "tenant"}},
            "ConsistentRead": True,
            "ProjectionExpression": "#status",
            "ExpressionAttributeNames": {"#status": "status"},
        }
    ]


def test_what_was_found_is_forgotten_after_five_minutes(clock: FakeClock) -> None:
    table = Table(ACTIVE)
    known = tenants(table, clock)
    known.require("t1")
    clock.advance(300)
    known.require("t1")
    assert len(table.asked) == 2


def test_tenants_are_remembered_apart(clock: FakeClock) -> None:
    table = Table(ACTIVE)
    known = tenants(table, clock)
    known.require("t1")
    table.item = None
    with pytest.raises(RejectedError):
        known.require("t2")


@pytest.mark.parametrize("item", [None, {}, {"status": {"S": "suspended"}}, {"status": {"N": "1"}}])
def test_a_tenant_that_is_not_active_is_rejected_each_time_anew(
    clock: FakeClock, item: dict[str, Any] | None
) -> None:
    table = Table(item)
    known = tenants(table, clock)
    for _ in range(2):
        with pytest.raises(RejectedError, match=r"^tenant_id: no active tenant of the directory has it$"):
            known.require("t1")
    assert len(table.asked) == 2
    table.item = ACTIVE
    known.require("t1")
