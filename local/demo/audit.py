"""Compare what the ledger holds with what the directory asked for, one tenant at a time.

Memory does not grow with the number of employees but for two integers each, of one tenant at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from local.demo.directory import UNKNOWN_TENANT, Employee, employees_of, tenants

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class Audit:
    """What one job's ledger was found to hold."""

    employees_expected: int = 0
    employees_charged: int = 0
    charged_twice: int = 0
    lost: int = 0
    balance_mismatches: int = 0
    order_violations: int = 0
    unexpected: int = 0
    """Rows for employees who should not have been charged."""
    groups: int = 0
    """Groups whose order was looked at."""
    captures_expected: int = 0
    """Charges with an amount: each is captured at the payment API."""


def rows_of(client: Any, table: str, tenant: str, prefix: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a tenant whose sort key begins with PREFIX, in the order of the key."""
    pages = client.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="pk = :tenant AND begins_with(sk, :prefix)",
        ExpressionAttributeValues={":tenant": {"S": tenant}, ":prefix": {"S": prefix}},
        ConsistentRead=True,
    )
    for page in pages:
        yield from page["Items"]


def _employee_id(row: dict[str, Any]) -> str:
    return str(row["sk"]["S"]).split("#")[-1]


def _aligned(
    expected: Iterator[Employee], rows: Iterator[dict[str, Any]]
) -> Iterator[tuple[Employee | None, dict[str, Any] | None]]:
    """Pair employees and rows, both in ascending order of the id; None where one has no partner."""
    employee, row = next(expected, None), next(rows, None)
    while employee or row:
        if row is None or (employee and employee.id < _employee_id(row)):
            yield employee, None
            employee = next(expected, None)
        elif employee is None or _employee_id(row) < employee.id:
            yield None, row
            row = next(rows, None)
        else:
            yield employee, row
            employee, row = next(expected, None), next(rows, None)


def _microseconds(moment: str) -> int:
    return (datetime.fromisoformat(moment) - _EPOCH) // datetime.resolution


def order_violations(sequences: array[int], moments: array[int]) -> int:
    """Count the messages of one group that took effect before an earlier one of the group.

    SEQUENCES are SQS sequence numbers, MOMENTS the times of the effects in microseconds, by message.
    """
    by_sequence = sorted(range(len(sequences)), key=sequences.__getitem__)
    violations, latest = 0, 0
    for index in by_sequence:
        violations += moments[index] < latest
        latest = max(latest, moments[index])
    return violations


def audit_charges(client: Any, table: str, period: str, tenant_count: int, employee_count: int) -> Audit:
    """Read the charges of PERIOD and all balances from TABLE and compare them with the directory."""
    audit = Audit()
    for tenant in tenants(tenant_count):
        sequences, moments = array("q"), array("q")
        charges = rows_of(client, table, tenant, f"charge#{period}#")
        for employee, row in _aligned(employees_of(tenant, employee_count), charges):
            audit.employees_expected += employee is not None
            if row is None:
                audit.lost += 1
                continue
            if employee is None or int(row["amount"]["N"]) != employee.amount:
                audit.unexpected += 1
                continue
            audit.employees_charged += 1
            audit.captures_expected += employee.amount > 0
            sequences.append(int(row["sequence_number"]["S"]))
            moments.append(_microseconds(row["charged_at"]["S"]))
        audit.groups += 1
        audit.order_violations += order_violations(sequences, moments)
        _audit_balances(client, table, tenant, employee_count, audit)
    audit.unexpected += sum(1 for _ in rows_of(client, table, UNKNOWN_TENANT, "charge#"))
    return audit


def _audit_balances(client: Any, table: str, tenant: str, employee_count: int, audit: Audit) -> None:
    balances = rows_of(client, table, tenant, "balance#")
    for employee, row in _aligned(employees_of(tenant, employee_count), balances):
        if employee is None or row is None:
            audit.balance_mismatches += 1
            continue
        audit.charged_twice += int(row["charges"]["N"]) > 1
        audit.balance_mismatches += int(row["balance"]["N"]) != employee.amount


@dataclass
class Co2Audit:
    """What the ledger was found to hold of the job `co2`."""

    expected: int = 0
    aggregated: int = 0
    mismatches: int = 0
    """Rows that are missing, unexpected or hold other sums."""


def audit_co2(client: Any, table: str, period: str, tenant_count: int, employee_count: int) -> Co2Audit:
    """Read the CO2 rows of PERIOD from TABLE and compare them with the directory."""
    audit = Co2Audit()
    for tenant in tenants(tenant_count):
        rows = rows_of(client, table, tenant, f"co2#{period}#")
        for employee, row in _aligned(employees_of(tenant, employee_count), rows):
            audit.expected += employee is not None
            if employee is None or row is None or _by_category(row) != employee.emissions:
                audit.mismatches += 1
                continue
            audit.aggregated += 1
    audit.mismatches += sum(1 for _ in rows_of(client, table, UNKNOWN_TENANT, "co2#"))
    return audit


def _by_category(row: dict[str, Any]) -> dict[str, int]:
    return {name: int(grams["N"]) for name, grams in row["by_category"]["M"].items()}
