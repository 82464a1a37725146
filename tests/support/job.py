"""A job's AWS side on moto: its tables and queues, and what a test asks of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

JOB_TABLE = "job"
DIRECTORY_TABLE = "directory"


@dataclass
class Job:
    """The resources of one job."""

    dynamodb: "DynamoDBClient"
    sqs: "SQSClient"
    queue_url: str
    dlq_url: str

    @classmethod
    def create(cls, dynamodb: "DynamoDBClient", sqs: "SQSClient", *, fifo: bool = True) -> "Job":
        for table in (JOB_TABLE, DIRECTORY_TABLE):
            dynamodb.create_table(
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
        suffix = ".fifo" if fifo else ""
        urls = [
            sqs.create_queue(
                QueueName=name + suffix,
                Attributes={"FifoQueue": "true", "ContentBasedDeduplication": "false"} if fifo else {},
            )["QueueUrl"]
            for name in ("charge", "charge-dlq")
        ]
        return cls(dynamodb, sqs, *urls)

    def environment(self, job: str = "charge", **more: str) -> dict[str, str]:
        """The environment of the job's functions."""
        return {
            "JOB_NAME": job,
            "JOB_TABLE": JOB_TABLE,
            "DIRECTORY_TABLE": DIRECTORY_TABLE,
            "QUEUE_URL": self.queue_url,
            "DLQ_URL": self.dlq_url,
            **more,
        }

    def enter_tenants(self, *tenants: str, status: str = "active") -> None:
        for tenant in tenants:
            self.dynamodb.put_item(
                TableName=DIRECTORY_TABLE,
                Item={"pk": {"S": tenant}, "sk": {"S": "tenant"}, "status": {"S": status}},
            )

    def row(self, pk: str, sk: str) -> dict[str, Any] | None:
        """One row of the job table as plain values, None when it is not there."""
        item = self.dynamodb.get_item(TableName=JOB_TABLE, Key={"pk": {"S": pk}, "sk": {"S": sk}}).get("Item")
        return _plain(item) if item else None

    def rows(self) -> list[dict[str, Any]]:
        """Every row of the job table."""
        return [_plain(item) for item in self.dynamodb.scan(TableName=JOB_TABLE)["Items"]]

    def dead_letters(self) -> list["DeadLetter"]:
        """What lies in the dead-letter queue, in order; it is left there, out of sight."""
        found: list[DeadLetter] = []
        while messages := self.sqs.receive_message(
            QueueUrl=self.dlq_url,
            MaxNumberOfMessages=10,
            MessageAttributeNames=["All"],
            AttributeNames=["All"],
        ).get("Messages"):
            found += [DeadLetter.read(message) for message in messages]
        return found


@dataclass(frozen=True)
class DeadLetter:
    """One quarantined message."""

    body: str
    group: str | None
    attributes: dict[str, str]

    @classmethod
    def read(cls, message: Mapping[str, Any]) -> "DeadLetter":
        attributes = {
            name: value["StringValue"] for name, value in message.get("MessageAttributes", {}).items()
        }
        return cls(message["Body"], message["Attributes"].get("MessageGroupId"), attributes)


def classes(letters: Iterable[DeadLetter]) -> list[str]:
    """The failure classes, in order."""
    return [letter.attributes["failure_class"] for letter in letters]


def _plain(item: Mapping[str, Any]) -> dict[str, Any]:
    deserialize = TypeDeserializer().deserialize
    return {name: deserialize(value) for name, value in item.items()}
