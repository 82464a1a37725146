"""A deployed job, as far as an operator notices: queues, table, the consumer's configuration; and a consumer
that runs here, in this process or, killed, not at all."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from job_runtime.attempts import Attempts
from job_runtime.clock import SystemClock
from job_runtime.consumer import Consumer
from job_runtime.effects import Effect
from job_runtime.envelope import Contract, Message
from job_runtime.halt import Halts
from job_runtime.identity import group_id
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.quarantine import Quarantine
from job_runtime.records import Record
from job_runtime.visibility import Backoff, Visibility
from local.emulator import Emulator
from tests.support.lambda_context import FakeContext
from tests.support.silent import Silent
from tests.support.sqs_events import charge

REPOSITORY = Path(__file__).resolve().parents[3]
ROLE = "arn:aws:iam::111122223333:role/consumer"


@dataclass
class Bench:
    """One job, `name` its prefix. `applied`: the employees, in the order of their effects."""

    aws: Emulator
    name: str
    suffix: str = ".fifo"
    halts: bool = False
    applied: list[tuple[str, str]] = field(default_factory=list)
    failing: Callable[[Message], Exception | None] = field(default=lambda _message: None)

    def __post_init__(self) -> None:
        self.sqs = self.aws.client("sqs")
        self.dynamodb = self.aws.client("dynamodb")
        kind = {"FifoQueue": "true"} if self.suffix else {}
        self.dlq_url, self.queue_url = (
            self.sqs.create_queue(
                QueueName=f"{self.name}{part}{self.suffix}", Attributes={"VisibilityTimeout": "30", **kind}
            )["QueueUrl"]
            for part in ("-dlq", "")
        )
        self.table = f"{self.name}-jobs"
        self.dynamodb.create_table(
            TableName=self.table,
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
        package = io.BytesIO()
        with zipfile.ZipFile(package, "w") as archive:
            archive.writestr("handler.py", "def handler(event, context): return None\n")
        self.aws.client("lambda").create_function(
            FunctionName=f"{self.name}-consumer",
            Runtime="python3.13",
            Role=ROLE,
            Handler="handler.handler",
            Code={"ZipFile": package.getvalue()},
            Environment={
                "Variables": {
                    "JOB_NAME": "charge",
                    "JOB_TABLE": self.table,
                    "QUEUE_URL": self.queue_url,
                    "DLQ_URL": self.dlq_url,
                    "ON_QUARANTINE": "halt-group" if self.halts else "continue",
                }
            },
        )

    @property
    def arguments(self) -> list[str]:
        """What the command line begins with."""
        return ["--env", "local", "--job", "charge", "--function", f"{self.name}-consumer", "--json"]

    def environment(self) -> dict[str, str]:
        """The environment of an operator's shell."""
        paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "functions")])
        return {**os.environ, **self.aws.credentials_env(), "PYTHONPATH": paths}

    def send(self, *messages: Message) -> None:
        """Put messages into the queue, one a call."""
        for message in messages:
            fifo = {"MessageDeduplicationId": message.idempotency_key} if self.suffix else {}
            self.sqs.send_message(
                QueueUrl=self.queue_url,
                MessageBody=message.body(),
                MessageGroupId=group_id("tenant-month", message.tenant_id, "", message.period),
                **fifo,
            )

    def bury(self, letters: list[tuple[Message, dict[str, str]]]) -> None:
        """Put messages, with their attributes, straight into the dead-letter queue, ten a call."""
        for start in range(0, len(letters), 10):
            entries = []
            for place, (message, attributes) in enumerate(letters[start : start + 10]):
                fifo = {"MessageDeduplicationId": message.idempotency_key} if self.suffix else {}
                entries.append(
                    {
                        "Id": str(place),
                        "MessageBody": message.body(),
                        "MessageGroupId": group_id("tenant-month", message.tenant_id, "", message.period),
                        "MessageAttributes": {
                            name: {"DataType": "String", "StringValue": value}
                            for name, value in attributes.items()
                        },
                        **fifo,
                    }
                )
            answer = self.sqs.send_message_batch(QueueUrl=self.dlq_url, Entries=entries)
            assert not answer.get("Failed")

    def consume(self) -> int:
        """Let the consumer handle what the queue holds, batch by batch; how many messages were handled."""
        handled = 0
        while messages := self._receive():
            answer = self._consumer()({"Records": messages}, FakeContext())
            again = {entry["itemIdentifier"] for entry in answer["batchItemFailures"]}
            for message in messages:
                if message["messageId"] not in again:
                    self.sqs.delete_message(QueueUrl=self.queue_url, ReceiptHandle=message["receiptHandle"])
            handled += len(messages) - len(again)
        return handled

    def _receive(self) -> list[dict[str, Any]]:
        answer = self.sqs.receive_message(
            QueueUrl=self.queue_url,
            MaxNumberOfMessages=10,
            MessageAttributeNames=["All"],
            MessageSystemAttributeNames=["All"],
        )
        return [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message["Attributes"],
                "messageAttributes": {
                    name: {"stringValue": value["StringValue"], "dataType": value["DataType"]}
                    for name, value in message.get("MessageAttributes", {}).items()
                },
                "eventSource": "aws:sqs",
                "eventSourceARN": f"arn:aws:sqs:ap-northeast-1:111122223333:{self.name}{self.suffix}",
            }
            for message in answer.get("Messages", ())
        ]

    def _consumer(self) -> Consumer:
        silent: Any = Silent()
        clock = SystemClock()

        def apply(message: Message, _record: Record) -> Effect:
            error = self.failing(message)
            if error is not None:
                raise error
            who = (message.tenant_id, message.employee_id)
            if who in self.applied:
                return Effect.DUPLICATE
            self.applied.append(who)
            return Effect.APPLIED

        return Consumer(
            contract=Contract("charge", PAYLOAD_SCHEMAS["charge"]),
            payloads=None,
            apply=apply,
            done_metric="Charged",
            max_attempts=1,
            max_deliveries=10,
            threads=4,
            attempts=Attempts(self.dynamodb, self.table, clock),
            quarantine=Quarantine(self.sqs, self.dlq_url),
            visibility=Visibility(self.sqs, self.queue_url, silent),
            backoff=Backoff(),
            halts=Halts(self.dynamodb, self.table, "charge", clock) if self.halts else None,
            observer=silent,
            clock=clock,
        )

    def peek(self, queue: str = "-dlq") -> list[tuple[str, str]]:
        """Tenant and employee of each message of a queue, in order, without receiving them."""
        bodies = [json.loads(message["body"]) for message in self.letters(queue)]
        return [(body["tenant_id"], body["employee_id"]) for body in bodies]

    def letters(self, queue: str = "-dlq") -> list[dict[str, Any]]:
        """The messages of a queue as they lie there."""
        return self.aws.peek(f"{self.name}{queue}{self.suffix}")


def messages(tenant: str, numbers: range) -> list[Message]:
    """Charges of the employees of one tenant."""
    return [charge(tenant, f"e{number:05}") for number in numbers]
