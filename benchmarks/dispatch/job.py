"""The job that is dispatched here: its tables and queue on the local AWS, its directory, its firing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from local.emulator import Emulator

REPOSITORY = Path(__file__).resolve().parents[2]
QUEUE, JOB_TABLE, DIRECTORY_TABLE = "charge.fifo", "bench-job", "bench-directory"
EMPLOYEES_A_TENANT = 250
FIRED = {"job": "charge", "scheduled_time": "2026-11-30T18:00:00Z"}
PERIOD = "2026-11"
_BATCH_WRITE = 25


@dataclass(frozen=True)
class Invocation:
    """Lambda's context: an id, and a quarter of an hour."""

    aws_request_id: str
    invoked_function_arn: str = "arn:aws:lambda:ap-northeast-1:111122223333:function:charge-dispatcher"

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds left."""
        return 900_000


def place(number: int) -> tuple[str, str]:
    """Tenant and employee id of the employee NUMBER."""
    return f"tenant-{number // EMPLOYEES_A_TENANT:05}", f"e{number:07}"


def environment(aws: Emulator) -> dict[str, str]:
    """The environment of the job's functions."""
    queues = f"{aws.endpoint}/111122223333"
    return {
        **os.environ,
        **aws.credentials_env(),
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "functions")]),
        "JOB_NAME": "charge",
        "JOB_TABLE": JOB_TABLE,
        "DIRECTORY_TABLE": DIRECTORY_TABLE,
        "QUEUE_URL": f"{queues}/{QUEUE}",
        "DLQ_URL": f"{queues}/charge-dlq.fifo",
        "TIMEZONE": "Asia/Tokyo",
        "POWERTOOLS_LOG_LEVEL": "CRITICAL",
        "POWERTOOLS_METRICS_DISABLED": "true",
    }


def create(aws: Emulator) -> None:
    """Make the tables and the queues."""
    for table in (JOB_TABLE, DIRECTORY_TABLE):
        aws.client("dynamodb").create_table(
            TableName=table,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "S"},
            ],
        )
    for queue in (QUEUE, "charge-dlq.fifo"):
        aws.client("sqs").create_queue(QueueName=queue, Attributes={"FifoQueue": "true"})


def seed(aws: Emulator, employees: int, advance: Callable[[int], None]) -> None:
    """Fill the directory; ADVANCE is told how many rows were written."""
    dynamodb = aws.client("dynamodb")

    def write(items: list[dict[str, Any]]) -> int:
        pending = {DIRECTORY_TABLE: [{"PutRequest": {"Item": item}} for item in items]}
        while pending:
            pending = dynamodb.batch_write_item(RequestItems=pending)["UnprocessedItems"]
        return len(items)

    with ThreadPoolExecutor(4) as pool:
        for written in pool.map(write, _chunks(_rows(employees), _BATCH_WRITE)):
            advance(written)


def _rows(employees: int) -> Iterator[dict[str, Any]]:
    for number in range(employees):
        tenant, employee = place(number)
        if number % EMPLOYEES_A_TENANT == 0:
            yield {"pk": {"S": tenant}, "sk": {"S": "tenant"}, "status": {"S": "active"}}
        yield {
            "pk": {"S": tenant},
            "sk": {"S": f"employee#{employee}"},
            "amount": {"N": str(number % 5000)},
            "currency": {"S": "JPY"},
        }


def _chunks(rows: Iterator[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    while chunk := list(islice(rows, size)):
        yield chunk
