"""Large payloads by reference."""

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from job_runtime import aws
from job_runtime.config import Settings
from job_runtime.effects import Effect
from job_runtime.envelope import Contract, MalformedMessageError, Message, PayloadReference
from job_runtime.failures import RejectedError
from job_runtime.identity import sha256
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.payloads import Payloads
from job_runtime.wiring import consumer_from
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, client_error
from tests.support.job import Job, classes
from tests.support.lambda_context import FakeContext
from tests.support.sqs_events import charge, failures, sqs_event, sqs_record

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET = "payloads"
CONTRACT = Contract("charge", PAYLOAD_SCHEMAS["charge"])


@pytest.fixture
def s3(mocked_aws: None) -> "S3Client":
    client = aws.s3()
    client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"})
    return client


@pytest.fixture
def payloads(s3: "S3Client") -> Payloads:
    return Payloads(s3, BUCKET)


def stored(payloads: Payloads, message: Message | None = None) -> tuple[Message, PayloadReference]:
    """A message whose payload was put aside, and its reference."""
    small = payloads.store(message or charge(), threshold=0)
    assert small.payload_ref is not None
    return small, small.payload_ref


def test_a_message_up_to_the_threshold_travels_whole(payloads: Payloads, s3: "S3Client") -> None:
    message = charge("東京")
    size = len(message.body().encode())
    assert payloads.store(message, threshold=size) is message
    assert payloads.store(message, threshold=size - 1).payload is None


def test_a_payload_put_aside_comes_back_as_it_was(payloads: Payloads) -> None:
    small, reference = stored(payloads)
    assert CONTRACT.parse(small.body()) == small
    assert (small.idempotency_key, small.payload_hash) == (charge().idempotency_key, charge().payload_hash)
    assert payloads.load(small, CONTRACT) == charge()
    assert reference.bucket == BUCKET


def test_an_object_says_what_it_is(payloads: Payloads, s3: "S3Client") -> None:
    _, reference = stored(payloads)
    assert s3.head_object(Bucket=BUCKET, Key=reference.key)["ContentType"] == "application/json"


def test_no_more_is_read_than_tells_a_wrong_length() -> None:
    asked: list[int] = []

    class Endless:
        def read(self, amount: int) -> bytes:
            asked.append(amount)
            return b"x" * amount

    class S3:
        def get_object(self, **_request: str) -> dict[str, Endless]:
            return {"Body": Endless()}

    reference = PayloadReference(BUCKET, "k", "a" * 64, 7)
    with pytest.raises(RejectedError):
        Payloads(S3(), BUCKET).load(replace(charge(), payload=None, payload_ref=reference), CONTRACT)  # type: ignore[arg-type]
    assert asked == [8]


def test_a_second_dispatch_writes_the_same_object(payloads: Payloads, s3: "S3Client") -> None:
    assert stored(payloads) == stored(payloads)
    stored(payloads, charge(amount=2))
    stored(payloads, charge("t2"))
    assert s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 3


def test_a_message_with_its_payload_needs_no_look_up(payloads: Payloads) -> None:
    message = charge()
    assert payloads.load(message, CONTRACT) is message


@pytest.mark.parametrize(
    "content", [b'{"amount":9999,"currency":"JPY"}', b'{"amount":1000,"currency":"JPY"} ', b""]
)
def test_an_object_with_another_content_is_rejected(
    payloads: Payloads, s3: "S3Client", content: bytes
) -> None:
    small, reference = stored(payloads)
    s3.put_object(Bucket=BUCKET, Key=reference.key, Body=content)
    with pytest.raises(RejectedError, match=r"^payload_ref\.sha256"):
        payloads.load(small, CONTRACT)


def test_an_object_that_is_gone_is_rejected(payloads: Payloads, s3: "S3Client") -> None:
    small, reference = stored(payloads)
    s3.delete_object(Bucket=BUCKET, Key=reference.key)
    with pytest.raises(RejectedError, match=r"^payload_ref\.key"):
        payloads.load(small, CONTRACT)


def test_an_object_in_another_bucket_is_not_fetched(payloads: Payloads) -> None:
    small, reference = stored(payloads)
    elsewhere = replace(small, payload_ref=replace(reference, bucket="elsewhere"))
    with pytest.raises(RejectedError, match=r"^payload_ref\.bucket"):
        payloads.load(elsewhere, CONTRACT)


def test_a_length_that_is_wrong_is_rejected(payloads: Payloads) -> None:
    small, reference = stored(payloads)
    for wrong in (reference.bytes - 1, reference.bytes + 1):
        with pytest.raises(RejectedError, match=r"^payload_ref\.sha256"):
            payloads.load(replace(small, payload_ref=replace(reference, bytes=wrong)), CONTRACT)


def test_a_content_that_is_no_utf_8_is_malformed(payloads: Payloads, s3: "S3Client") -> None:
    content = b'{"amount":1,"currency":"\xff\xfe"}'
    reference = PayloadReference(BUCKET, "k", hashlib.sha256(content).hexdigest(), len(content))
    s3.put_object(Bucket=BUCKET, Key="k", Body=content)
    with pytest.raises(MalformedMessageError, match=r"^payload_ref: .* UTF-8$"):
        payloads.load(replace(charge(), payload=None, payload_ref=reference), CONTRACT)


def test_a_content_that_breaks_the_jobs_schema_is_malformed(payloads: Payloads, s3: "S3Client") -> None:
    content = '{"amount":-1,"currency":"JPY"}'
    reference = PayloadReference(BUCKET, "k", sha256(content), len(content))
    s3.put_object(Bucket=BUCKET, Key="k", Body=content.encode())
    with pytest.raises(MalformedMessageError, match=r"^payload\.amount"):
        payloads.load(replace(charge(), payload=None, payload_ref=reference), CONTRACT)


def test_a_content_that_is_no_text_is_malformed(payloads: Payloads, s3: "S3Client") -> None:
    content = b"\xff\xfe"
    reference = PayloadReference(
        BUCKET, "k", "cf6dc1d2ae90d6a3ab2a4b1bbb9ea2d4b5b1c9b2f4cb9d5a9f6e9e1f1d1f8d5c", len(content)
    )
    s3.put_object(Bucket=BUCKET, Key="k", Body=content)
    with pytest.raises(RejectedError):
        payloads.load(replace(charge(), payload=None, payload_ref=reference), CONTRACT)


def test_other_faults_of_the_bucket_are_no_verdict_on_the_message(payloads: Payloads, s3: "S3Client") -> None:
    small, _ = stored(payloads)
    denied = Payloads(Faulty(s3, get_object=[client_error("AccessDenied", status=403)]), BUCKET)  # type: ignore[arg-type]
    with pytest.raises(ClientError, match="AccessDenied"):
        denied.load(small, CONTRACT)


def test_a_consumer_with_a_bucket_applies_what_the_reference_stands_for(
    job: Job, payloads: Payloads, clock: FakeClock
) -> None:
    applied: list[Message] = []

    def apply(message: Message, _record: object) -> Effect:
        applied.append(message)
        return Effect.APPLIED

    consumer = consumer_from(
        Settings(job.environment(PAYLOAD_BUCKET=BUCKET)),
        contract=CONTRACT,
        apply=apply,
        done_metric="Charged",
        clock=clock,
    )
    small, reference = stored(payloads)
    broken = json.loads(small.body())
    broken["payload_ref"] = vars(replace(reference, sha256="0" * 64))
    batch = sqs_event(sqs_record(small, "m1"), sqs_record(json.dumps(broken), "m2"))
    assert failures(consumer(batch, FakeContext())) == []
    assert applied == [charge()]
    assert classes(job.dead_letters()) == ["rejected"]
