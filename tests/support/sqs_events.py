"""Events as Lambda's SQS mapping hands them over."""

from collections.abc import Mapping
from typing import Any

from job_runtime.envelope import Message
from job_runtime.identity import group_id

FIFO_ARN = "arn:aws:sqs:ap-northeast-1:111122223333:charge.fifo"
STANDARD_ARN = "arn:aws:sqs:ap-northeast-1:111122223333:charge"


def charge(
    tenant: str = "t1", employee: str = "e1", *, period: str = "2026-11", amount: Any = 1000, **fields: Any
) -> Message:
    """A charge message; `fields` override the rest."""
    given: dict[str, Any] = {
        "job": "charge",
        "run_id": f"charge-{period}",
        "scheduled_time": "2026-11-30T18:00:00Z",
        "payload": {"amount": amount, "currency": "JPY"},
    }
    return Message(tenant_id=tenant, employee_id=employee, period=period, **{**given, **fields})


def sqs_record(
    body: str | Message,
    message_id: str = "m1",
    *,
    group: str | None = None,
    receives: int = 1,
    arn: str = FIFO_ARN,
    attributes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """One record; a message's group is its tenant and month unless said otherwise."""
    if group is None:
        group = (
            group_id("tenant-month", body.tenant_id, body.employee_id, body.period)
            if isinstance(body, Message)
            else "g"
        )
    ordered = {"MessageGroupId": group, "SequenceNumber": "18850000000000000000"} if arn == FIFO_ARN else {}
    text = body.body() if isinstance(body, Message) else body
    return {
        "messageId": message_id,
        "receiptHandle": f"receipt-{message_id}",
        "body": text,
        "attributes": {
            "ApproximateReceiveCount": str(receives),
            **ordered,
            "SentTimestamp": "1796061600000",
            **(attributes or {}),
        },
        "messageAttributes": {},
        "md5OfBody": "",
        "eventSource": "aws:sqs",
        "eventSourceARN": arn,
        "awsRegion": "ap-northeast-1",
    }


def sqs_event(*records: Mapping[str, Any]) -> dict[str, Any]:
    """A batch."""
    return {"Records": list(records)}


def failures(response: Mapping[str, Any]) -> list[str]:
    """The ids that a handler handed back, after checking that the document is one that Lambda takes."""
    assert set(response) == {"batchItemFailures"}
    ids = [entry["itemIdentifier"] for entry in response["batchItemFailures"]]
    assert all(isinstance(message_id, str) and message_id for message_id in ids)
    assert len(set(ids)) == len(ids)
    return ids
