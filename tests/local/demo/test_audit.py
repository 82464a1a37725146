"""The audit finds what went wrong: lost, doubled, misplaced, out of order."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from local.demo.audit import Audit, Co2Audit, audit_charges, audit_co2, order_violations
from local.demo.directory import JAPANESE_TENANT, UNKNOWN_TENANT, Employee, employees_of, tenants

PERIOD = "2026-11"
TABLE = "jobs"
TENANTS, EMPLOYEES = 2, 12


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with mock_aws():
        client = boto3.client("dynamodb", region_name="ap-northeast-1")
        client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk")],
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
        )
        for tenant in tenants(TENANTS):
            for position, employee in enumerate(employees_of(tenant, EMPLOYEES)):
                charge(client, employee, position)
        yield client


def charge(client: Any, employee: Employee, position: int, moment: int | None = None) -> None:
    moment = position if moment is None else moment
    client.put_item(
        TableName=TABLE,
        Item={
            "pk": {"S": employee.tenant},
            "sk": {"S": f"charge#{PERIOD}#{employee.id}"},
            "amount": {"N": str(employee.amount)},
            "sequence_number": {"S": f"{position:020d}"},
            "charged_at": {"S": f"2026-12-01T03:00:00.{moment:06d}+00:00"},
        },
    )
    balance(client, employee, employee.amount, 1)


def balance(client: Any, employee: Employee, amount: int, charges: int) -> None:
    client.put_item(
        TableName=TABLE,
        Item={
            "pk": {"S": employee.tenant},
            "sk": {"S": f"balance#{employee.id}"},
            "balance": {"N": str(amount)},
            "charges": {"N": str(charges)},
        },
    )


def audit(client: Any) -> Audit:
    return audit_charges(client, TABLE, PERIOD, TENANTS, EMPLOYEES)


def some_employee(number: int = 5, tenant: str = JAPANESE_TENANT) -> Employee:
    return list(employees_of(tenant, EMPLOYEES))[number]


def test_correct_month_has_every_employee_charged_once(ledger: Any) -> None:
    found = audit(ledger)
    assert found == Audit(employees_expected=24, employees_charged=24, groups=2, captures_expected=22)


def test_missing_charge_is_lost(ledger: Any) -> None:
    lost = some_employee()
    ledger.delete_item(
        TableName=TABLE, Key={"pk": {"S": lost.tenant}, "sk": {"S": f"charge#{PERIOD}#{lost.id}"}}
    )
    assert (audit(ledger).lost, audit(ledger).employees_charged) == (1, 23)


def test_second_charge_shows_on_the_balance(ledger: Any) -> None:
    employee = some_employee()
    balance(ledger, employee, 2 * employee.amount, 2)
    found = audit(ledger)
    assert (found.charged_twice, found.balance_mismatches) == (1, 1)


def test_second_charge_of_nothing_is_still_a_second_charge(ledger: Any) -> None:
    free = next(e for e in employees_of(JAPANESE_TENANT, EMPLOYEES) if e.amount == 0)
    balance(ledger, free, 0, 2)
    assert audit(ledger).charged_twice == 1


def test_missing_balance_is_a_mismatch(ledger: Any) -> None:
    employee = some_employee()
    ledger.delete_item(
        TableName=TABLE, Key={"pk": {"S": employee.tenant}, "sk": {"S": f"balance#{employee.id}"}}
    )
    assert audit(ledger).balance_mismatches == 1


def test_charge_of_an_unknown_tenant_or_employee_is_unexpected(ledger: Any) -> None:
    charge(ledger, Employee(UNKNOWN_TENANT, "employee-000001", 10), 0)
    charge(ledger, Employee(JAPANESE_TENANT, "社員-999999", 10), 99)
    assert audit(ledger).unexpected == 2


def test_charge_of_another_amount_is_unexpected(ledger: Any) -> None:
    employee = some_employee()
    charge(ledger, Employee(employee.tenant, employee.id, employee.amount + 1), 5)
    found = audit(ledger)
    assert (found.unexpected, found.employees_charged, found.balance_mismatches) == (1, 23, 1)


def test_effect_before_an_earlier_message_of_its_group_violates_order(ledger: Any) -> None:
    charge(ledger, some_employee(3), 3, moment=900)
    assert audit(ledger).order_violations == EMPLOYEES - 4


@pytest.mark.parametrize(
    ("moments", "violations"),
    [([1, 2, 3, 4], 0), ([2, 1, 3, 4], 1), ([4, 1, 2, 3], 3), ([1, 1, 1, 1], 0), ([], 0)],
)
def test_order_is_that_of_the_sequence_numbers(moments: list[int], violations: int) -> None:
    sequences = array("q", range(len(moments)))
    assert order_violations(sequences, array("q", moments)) == violations
    # The rows come in the order of the employees' ids, which need not be that of the messages.
    assert order_violations(array("q", reversed(sequences)), array("q", reversed(moments))) == violations


def aggregate(client: Any, employee: Employee, **changed: int) -> None:
    grams = employee.emissions | changed
    client.put_item(
        TableName=TABLE,
        Item={
            "pk": {"S": employee.tenant},
            "sk": {"S": f"co2#{PERIOD}#{employee.id}"},
            "by_category": {"M": {name: {"N": str(weight)} for name, weight in grams.items()}},
        },
    )


def co2(client: Any) -> Co2Audit:
    return audit_co2(client, TABLE, PERIOD, TENANTS, EMPLOYEES)


def test_correct_month_has_every_employee_aggregated(ledger: Any) -> None:
    for tenant in tenants(TENANTS):
        for employee in employees_of(tenant, EMPLOYEES):
            aggregate(ledger, employee)
    assert co2(ledger) == Co2Audit(expected=24, aggregated=24)
    aggregate(ledger, some_employee(), office=301)
    assert (co2(ledger).aggregated, co2(ledger).mismatches) == (23, 1)
    aggregate(ledger, Employee(UNKNOWN_TENANT, "employee-000001", 10))
    assert co2(ledger).mismatches == 2


def test_missing_co2_rows_are_mismatches(ledger: Any) -> None:
    assert co2(ledger) == Co2Audit(expected=24, mismatches=24)
