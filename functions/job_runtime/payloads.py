"""Large payloads: kept in S3 under their own hash, with the message carrying the reference."""

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from job_runtime.envelope import Contract, MalformedMessageError, Message, PayloadReference
from job_runtime.failures import RejectedError, error_code
from job_runtime.identity import canonical_json

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class Payloads:
    """The payloads of a job in one bucket."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        """`bucket`: the only one that references may point to."""
        self._client = client
        self._bucket = bucket

    def store(self, message: Message, threshold: int) -> Message:
        """The message to send: as it is up to `threshold` bytes of body, else with its payload put in the
        bucket.

        The object's key follows from the message and the content, so a second dispatch writes the same
        object. Raises botocore's errors.
        """
        if len(message.body().encode()) <= threshold:
            return message
        content = canonical_json(message.content).encode()
        reference = PayloadReference(
            bucket=self._bucket,
            key=f"{message.job}/{message.period}/{message.idempotency_key}/{message.payload_hash}.json",
            sha256=message.payload_hash,
            bytes=len(content),
        )
        self._client.put_object(
            Bucket=self._bucket, Key=reference.key, Body=content, ContentType="application/json"
        )
        return replace(message, payload=None, payload_ref=reference)

    def load(self, message: Message, contract: Contract) -> Message:
        """The message with its payload in hand, checked against the reference's length and SHA-256.

        Raises RejectedError when the object is elsewhere, gone or another one; MalformedMessageError when its
        content breaks the job's schema; botocore's errors for the rest.
        """
        reference = message.payload_ref
        if reference is None:
            return message
        if reference.bucket != self._bucket:
            raise RejectedError("payload_ref.bucket: must be the job's own bucket")
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=reference.key)
        except ClientError as error:
            if error_code(error) != "NoSuchKey":
                raise
            raise RejectedError("payload_ref.key: there is no such object") from error
        content = answer["Body"].read(reference.bytes + 1)
        if len(content) != reference.bytes or hashlib.sha256(content).hexdigest() != reference.sha256:
            raise RejectedError("payload_ref.sha256: the object has another content")
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise MalformedMessageError("payload_ref: the object must be JSON in UTF-8") from None
        return replace(message, payload=contract.parse_payload(text), payload_ref=None)
