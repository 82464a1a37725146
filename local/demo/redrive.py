"""The redrive, proven: messages that are dead for two reasons, put back by class, killed on the way.

Ten tenants whom nobody entered: ten messages of each are rejected. The consumer is switched off, and ten more
of each tenant run out of deliveries, so that SQS itself moves them. Then the tenants are entered, and the
operator's command puts back what ran out of deliveries, and after it what was rejected; each is killed once.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from local.demo.audit import rows_of
from local.demo.month import Job, MonthStoppedError, depth
from local.demo.operator import command, operate, surroundings
from local.demo.progress import Phase
from local.demo.waiting import wait_for
from local.emulator import Emulator

TENANTS = tuple(f"newcomer-{number:02d}" for number in range(1, 11))
OF_EACH = 10
MESSAGES = len(TENANTS) * OF_EACH
"""Messages of each kind."""

_RATE = 60
_HOLD_SECONDS = 5


def prove(aws: Emulator, outputs: Mapping[str, Any], period: str, phase: Phase) -> dict[str, Any]:
    """Carry the proof out on the job `charge` of `envs/local`, whose OUTPUTS these are; return its figures.

    PERIOD: the month that is charged. PHASE is told of five steps. The dead-letter queue may hold other
    messages; they stay. Raises MonthStoppedError when a step does not come to its end.
    """
    job = Job.of("charge", dict(outputs))
    consumer = outputs["jobs"]["charge"]["functions"]["consumer"]["name"]
    directory = outputs["tables"]["directory"]
    started = time.monotonic()
    before = len(aws.peek(job.dead_letter_queue))
    _send(aws, job, period, range(OF_EACH))
    wait_for(lambda: len(aws.peek(job.dead_letter_queue)) == before + MESSAGES, "the rejection")
    phase.reach(1, 5)
    with _switched_off(aws, consumer):
        _send(aws, job, period, range(OF_EACH, 2 * OF_EACH))
        _exhaust(aws, job)
    buried = len(aws.peek(job.dead_letter_queue)) - before
    phase.reach(2)
    for tenant in TENANTS:
        row = {"pk": {"S": tenant}, "sk": {"S": "tenant"}, "status": {"S": "active"}}
        aws.client("dynamodb").put_item(TableName=directory, Item=row)
    of_these = [part for tenant in TENANTS for part in ("--tenant", tenant)]
    redriven = _redrive(aws, job, ["--class", "exhausted"])
    phase.reach(3)
    redriven += _redrive(aws, job, ["--class", "rejected", *of_these])
    phase.reach(4)
    wait_for(lambda: depth(aws, job.queue_url) == 0, "the charges")
    phase.reach(5)
    return {
        "groups": len(TENANTS),
        "quarantined": MESSAGES,
        "timed_out": buried - MESSAGES,
        "kills": 2,
        "redriven_by_last_runs": redriven,
        **_audit(aws, job.table, period),
        "dlq_left": len(aws.peek(job.dead_letter_queue)),
        "expected_left": before,
        "seconds": round(time.monotonic() - started, 1),
    }


def _body(tenant: str, employee: str, period: str) -> str:
    fields = {
        "schema_version": 1,
        "job": "charge",
        "tenant_id": tenant,
        "employee_id": employee,
        "period": period,
        "run_id": f"charge-{period}",
        "scheduled_time": f"{period}-28T00:00:00Z",
        "payload": {"amount": 1_000, "currency": "JPY"},
    }
    key = json.dumps(["charge", tenant, employee, period], separators=(",", ":"))
    return json.dumps({**fields, "idempotency_key": hashlib.sha256(key.encode()).hexdigest()})


def _send(aws: Emulator, job: Job, period: str, numbers: range) -> None:
    """Send a message of each tenant for each number, the tenants in turn."""
    for number in numbers:
        entries = []
        for place, tenant in enumerate(TENANTS):
            body = _body(tenant, f"employee-{number:02d}", period)
            entry = {"Id": str(place), "MessageBody": body, "MessageGroupId": f"{tenant}#{period}"}
            entries.append({**entry, "MessageDeduplicationId": json.loads(body)["idempotency_key"]})
        answer = aws.client("sqs").send_message_batch(QueueUrl=job.queue_url, Entries=entries)
        if answer.get("Failed"):
            raise MonthStoppedError("messages for the redrive were not taken by the queue")


@contextmanager
def _switched_off(aws: Emulator, consumer: str) -> Iterator[None]:
    functions = aws.client("lambda")
    (mapping,) = functions.list_event_source_mappings(FunctionName=consumer)["EventSourceMappings"]
    functions.update_event_source_mapping(UUID=mapping["UUID"], Enabled=False)
    try:
        yield
    finally:
        functions.update_event_source_mapping(UUID=mapping["UUID"], Enabled=True)


def _exhaust(aws: Emulator, job: Job) -> None:
    """Receive every message and let go of it until SQS gives up on it."""
    sqs = aws.client("sqs")
    wait_for(
        lambda: (
            not sqs.receive_message(QueueUrl=job.queue_url, MaxNumberOfMessages=10, VisibilityTimeout=0).get(
                "Messages"
            )
            and depth(aws, job.queue_url) == 0
        ),
        "the backstop",
    )


def _redrive(aws: Emulator, job: Job, which: list[str]) -> int:
    """Redrive, killed once when some messages are gone; how many the second run put back."""
    before = len(aws.peek(job.dead_letter_queue))
    pace = ["--rate", str(_RATE), "--hold", str(_HOLD_SECONDS)]
    first = command(job, "redrive", *which, *pace)
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(first, **quiet, **surroundings(aws)) as killed:
        try:
            wait_for(
                lambda: (
                    len(aws.peek(job.dead_letter_queue)) <= before - MESSAGES // 4
                    or killed.poll() is not None
                ),
                "a first part of the redrive",
            )
            if killed.poll() is not None:
                raise MonthStoppedError("the redrive ended before it could be killed")
        finally:
            killed.kill()
    return int(operate(aws, job, "redrive", *which)["redriven"])


def _audit(aws: Emulator, table: str, period: str) -> dict[str, int]:
    """What the ledger holds of these tenants: the effects that are missing, doubled or out of order."""
    found: Counter[str] = Counter(double=0, lost=0, order_violations=0, charged=0)
    client = aws.client("dynamodb")
    for tenant in TENANTS:
        # In the order of their employees' numbers, which is the order they were sent in.
        charges = list(rows_of(client, table, tenant, f"charge#{period}#"))
        found["charged"] += len(charges)
        found["lost"] += 2 * OF_EACH - len(charges)
        found["double"] += sum(
            int(row["charges"]["N"]) > 1 for row in rows_of(client, table, tenant, "balance#")
        )
        moments = [row["charged_at"]["S"] for row in charges]
        for kind in (moments[:OF_EACH], moments[OF_EACH:]):
            found["order_violations"] += sum(earlier > later for earlier, later in pairwise(kind))
    return dict(found)
