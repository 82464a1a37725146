"""What the demo reads off a dead-letter queue."""

from __future__ import annotations

import json
from typing import Any

from local.demo.dead_letters import by_class, out_of_order


def message(failure: str | None, tenant: str = "gone", employee: str = "e-1") -> dict[str, Any]:
    attributes = {} if failure is None else {"failure_class": failure}
    return {"attributes": attributes, "body": json.dumps({"tenant_id": tenant, "employee_id": employee})}


def test_messages_are_counted_by_class() -> None:
    found = [message("rejected"), message(None), message("rejected")]
    assert by_class(found) == {"moved by maxReceiveCount": 1, "rejected": 2}


def test_group_in_order_has_none_out_of_order() -> None:
    found = [message("halted", employee=f"e-{number}") for number in range(5)]
    assert out_of_order(found, "gone") == 0


def test_overtaking_within_the_tenant_counts_and_other_tenants_do_not() -> None:
    order = [("gone", "e-2"), ("other", "e-0"), ("gone", "e-1"), ("gone", "e-3")]
    found = [message("halted", tenant, employee) for tenant, employee in order]
    assert out_of_order(found, "gone") == 1


def test_malformed_messages_have_no_place_in_the_order() -> None:
    broken = {"attributes": {"failure_class": "malformed"}, "body": "{not json"}
    assert out_of_order([broken, message("halted")], "gone") == 0
