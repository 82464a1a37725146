"""What tests of the dispatcher and the auditor share: a directory, a queue to look into, an invocation."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from job_runtime import aws
from job_runtime.identity import idempotency_key
from tests.support.job import DIRECTORY_TABLE, Job
from tests.support.lambda_context import FakeContext


class Invocation(FakeContext):
    """The context of one invocation: its id, and the milliseconds it has left."""

    def __init__(self, request_id: str = "r1", remaining: int = 60_000) -> None:
        super().__init__(remaining)
        self.aws_request_id = request_id


def enter(tenant: str, employees: Iterable[int], **columns: Any) -> None:
    attributes = columns or {"amount": {"N": "1200"}, "currency": {"S": "JPY"}}
    for number in employees:
        item: Any = {"pk": {"S": tenant}, "sk": {"S": f"employee#e{number:04}"}, **attributes}
        aws.dynamodb().put_item(TableName=DIRECTORY_TABLE, Item=item)


def keys(tenant: str, employees: Iterable[int], period: str = "2026-11") -> set[str]:
    return {idempotency_key("charge", tenant, f"e{number:04}", period) for number in employees}


def drain(job: Job) -> list[Mapping[str, Any]]:
    """Take every message out of the queue: the bodies, in the order of delivery."""
    bodies: list[Mapping[str, Any]] = []
    while True:
        answer = job.sqs.receive_message(
            QueueUrl=job.queue_url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
        )
        messages = answer.get("Messages", [])
        if not messages:
            return bodies
        for message in messages:
            body = json.loads(message["Body"])
            assert message["Attributes"]["MessageDeduplicationId"] == body["idempotency_key"]
            bodies.append({**body, "group": message["Attributes"]["MessageGroupId"]})
            job.sqs.delete_message(QueueUrl=job.queue_url, ReceiptHandle=message["ReceiptHandle"])


def refusing(key: str, send: Callable[..., Any], *, times: int, for_good: bool = False) -> Callable[..., Any]:
    """SendMessageBatch that refuses the entry of `key` inside a successful answer, `times` times.

    `for_good`: blames the sender.
    """
    refused = 0

    def call(*, Entries: list[dict[str, Any]], **options: Any) -> Any:  # noqa: N803 - boto3's name
        nonlocal refused
        bad = [entry for entry in Entries if entry["MessageDeduplicationId"] == key and refused < times]
        refused += len(bad)
        good = [entry for entry in Entries if entry not in bad]
        answer = send(Entries=good, **options) if good else {"Successful": []}
        failed = [{"Id": entry["Id"], "Code": "InternalError", "SenderFault": for_good} for entry in bad]
        return {**answer, "Failed": failed}

    return call
