"""The directory and the ledger side by side, one tenant at a time, both as streams: memory does not grow."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from job_runtime.directory import Row

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class Finding:
    """One employee of one tenant: the directory's row, if there is one, and whether the ledger has a
    proof."""

    tenant_id: str
    employee_id: str
    row: Row | None
    proven: bool


class Ledger:
    """The rows that prove the effects of a job: `pk` = tenant, `sk` = `<job>#<period>#<employee>`."""

    def __init__(self, dynamodb: "DynamoDBClient", table: str, job: str) -> None:
        """`table`: the job table."""
        self._dynamodb = dynamodb
        self._table = table
        self._job = job

    def employees(self, tenant_id: str, period: str) -> Iterator[str]:
        """The ids of the tenant's employees for whom the effect is proven, sorted by their UTF-8 bytes."""
        prefix = f"{self._job}#{period}#"
        pages = self._dynamodb.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="pk = :tenant AND begins_with(sk, :prefix)",
            ExpressionAttributeValues={":tenant": {"S": tenant_id}, ":prefix": {"S": prefix}},
            ProjectionExpression="sk",
            ConsistentRead=True,
        )
        for page in pages:
            for item in page["Items"]:
                yield item["sk"]["S"].removeprefix(prefix)


def compare(rows: Iterable[Row], proven: Callable[[str], Iterator[str]]) -> Iterator[Finding]:
    """Every employee, of the tenants in `rows`, who is in the directory, in the ledger or in both.

    `rows`: the directory's, those of a tenant together and sorted as DynamoDB sorts them; `proven`: the
    ledger's employees of a tenant, sorted likewise. A tenant with no row left in the directory is not looked
    up.
    """
    for tenant_id, group in groupby(rows, key=lambda row: row.tenant_id):
        yield from _merge(tenant_id, (row for row in group if row.is_employee), proven(tenant_id))


def _merge(tenant_id: str, rows: Iterator[Row], proven: Iterator[str]) -> Iterator[Finding]:
    # Code points sort as their UTF-8 bytes do, so Python's order of strings is DynamoDB's.
    row, employee = next(rows, None), next(proven, None)
    while True:
        if row and (employee is None or row.employee_id <= employee):
            found = row.employee_id == employee
            yield Finding(tenant_id, row.employee_id, row, proven=found)
            row = next(rows, None)
            if found:
                employee = next(proven, None)
        elif employee is not None:
            yield Finding(tenant_id, employee, None, proven=True)
            employee = next(proven, None)
        else:
            return
