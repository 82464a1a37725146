"""The platform's tenants and employees: who is to be charged, and the oddities every real directory has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

CURRENCY = "JPY"
# One tenant writes its ids in its own script; SQS admits ASCII only, so its group ids are hashed.
JAPANESE_TENANT = "東京支店"
UNKNOWN_TENANT = "left-last-year"
UNKNOWN_EMPLOYEES = 200
_ZERO_EVERY = 10
_BATCH = 25  # items of one BatchWriteItem
_WRITERS = 4

MALFORMED_BODIES = (
    "{not json",
    json.dumps({"schema_version": 1, "job": "charge", "tenant_id": "tenant-0001", "period": "2026-06"}),
)


@dataclass(frozen=True)
class Employee:
    """One employee as the directory knows it; `amount` in minor units, zero where nothing is due."""

    tenant: str
    id: str
    amount: int

    @property
    def emissions(self) -> dict[str, int]:
        """Grams of CO2 by category."""
        return {"office": 300, "travel": 1_200 + self.amount}


def tenants(count: int) -> Iterator[str]:
    """Yield the ids of COUNT tenants, the last of which is not in ASCII."""
    for number in range(1, count):
        yield f"tenant-{number:04d}"
    yield JAPANESE_TENANT


def employees_of(tenant: str, count: int) -> Iterator[Employee]:
    """Yield COUNT employees of a tenant, in the order of the directory's sort key."""
    prefix = "社員" if tenant == JAPANESE_TENANT else "employee"
    for number in range(1, count + 1):
        amount = 0 if number % _ZERO_EVERY == 0 else 1_000 + 37 * number
        yield Employee(tenant, f"{prefix}-{number:06d}", amount)


def _employee_item(employee: Employee) -> dict[str, Any]:
    return {
        "pk": {"S": employee.tenant},
        "sk": {"S": f"employee#{employee.id}"},
        "amount": {"N": str(employee.amount)},
        "currency": {"S": CURRENCY},
        "emissions": {
            "L": [
                {"M": {"category": {"S": name}, "grams": {"N": str(weight)}}}
                for name, weight in employee.emissions.items()
            ]
        },
    }


def _items(tenant_count: int, employee_count: int) -> Iterator[dict[str, Any]]:
    for tenant in tenants(tenant_count):
        yield {"pk": {"S": tenant}, "sk": {"S": "tenant"}, "status": {"S": "active"}}
        yield from map(_employee_item, employees_of(tenant, employee_count))
    yield from map(_employee_item, employees_of(UNKNOWN_TENANT, UNKNOWN_EMPLOYEES))


def seed(
    client: Any, table: str, tenant_count: int, employee_count: int, seen: Callable[[int], None]
) -> None:
    """Write the directory to TABLE, and call SEEN with the number of rows after each batch.

    Besides the tenants it holds employees of a tenant that is not registered. Raises RuntimeError if rows
    are left unprocessed: the emulator has no reason to.
    """

    def write(items: list[dict[str, Any]]) -> int:
        answer = client.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": i}} for i in items]})
        if answer.get("UnprocessedItems"):
            raise RuntimeError(f"{table}: rows of the directory were not written")
        return len(items)

    rows = _items(tenant_count, employee_count)
    with ThreadPoolExecutor(_WRITERS) as writers:
        # A window of batches at a time: the generator is not read ahead of the writers.
        while window := [batch for _ in range(_WRITERS * 4) if (batch := list(islice(rows, _BATCH)))]:
            for written in writers.map(write, window):
                seen(written)


def send_malformed(client: Any, queue_url: str) -> int:
    """Put messages on the queue that no job can read, as a foreign producer might; return how many."""
    for number, body in enumerate(MALFORMED_BODIES):
        client.send_message(
            QueueUrl=queue_url,
            MessageBody=body,
            MessageGroupId=f"foreign-{number}",
            MessageDeduplicationId=f"malformed-{number}",
        )
    return len(MALFORMED_BODIES)
