"""IAM: what a request needs beside its own action, and MiniStack does not ask for.

- What lies under a customer key (a queue, a table, a bucket) takes the key, through the service:
  `kms:ViaService` is then in the request, and in no other.
- CreateKey with tags takes `kms:TagResource` on every key of the account: there is none yet to be named.
- S3 says of a missing object that it is forbidden, unless the caller may list the object's own key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region
from ministack.services import dynamodb, kms, s3, sqs

from local.emulator.server.replacing import replace

# What reads and writes under a key, and what each takes of the key by the service's documentation.
_SQS = {"SendMessage": ("GenerateDataKey", "Decrypt"), "ReceiveMessage": ("Decrypt",)}
_S3 = {"PutObject": ("GenerateDataKey",), "GetObject": ("Decrypt",)}
_DYNAMODB = frozenset(
    f"{verb}Item" for verb in ("Get", "Put", "Update", "Delete", "BatchGet", "BatchWrite", "ConditionCheck")
) | {"Query", "Scan"}
_BUCKETS = "arn:aws:s3:::"


@dataclass(frozen=True)
class Need:
    """One more action on one more resource, with the condition keys of that check."""

    action: str
    resource: str
    context: Mapping[str, Any] = field(default_factory=dict)


def customer_key(named: object) -> str | None:
    """The ARN of a customer key by its id, ARN or alias; None for the services' own keys."""
    record = kms._resolve_key(str(named or ""))
    return str(record["Arn"]) if record else None


def _of_key(named: object, service: str, actions: tuple[str, ...]) -> Iterator[Need]:
    key = customer_key(named)
    context = {"kms:viaservice": f"{service}.{get_region()}.amazonaws.com"}
    return (Need(f"kms:{action}", key, context) for action in actions if key)


def needs(action: str, resource: str, context: Mapping[str, Any]) -> Iterator[Need]:
    """What AWS asks for beside ACTION (`sqs:SendMessage`) on RESOURCE (an ARN)."""
    service, _, verb = action.removesuffix("Batch").partition(":")
    name = resource.rpartition("/" if service == "dynamodb" else ":")[2]
    if service == "sqs" and verb in _SQS:
        queue = sqs._queue_by_arn(resource) or {"attributes": {}}
        yield from _of_key(queue["attributes"].get("KmsMasterKeyId"), service, _SQS[verb])
    elif service == "dynamodb" and verb in _DYNAMODB:
        table = dynamodb._tables.get(name) or {}
        yield from _of_key((table.get("SSEDescription") or {}).get("KMSMasterKeyArn"), service, ("Decrypt",))
    elif service == "s3" and verb in _S3:
        bucket, _, key = resource.removeprefix(_BUCKETS).partition("/")
        default = s3._bucket_default_sse_headers(bucket)
        yield from _of_key(default.get("x-amz-server-side-encryption-aws-kms-key-id"), service, _S3[verb])
        if (
            verb == "GetObject"
            and key not in (s3._buckets.get(bucket) or {"objects": {key: None}})["objects"]
        ):
            yield Need("s3:ListBucket", f"{_BUCKETS}{bucket}", {"s3:prefix": key})
    elif action == "kms:CreateKey" and context.get("aws:TagKeys"):
        yield Need("kms:TagResource", f"arn:aws:kms:{get_region()}:{get_account_id()}:key/*", context)


def _asking_for_all(enforce: Any) -> Any:
    @wraps(enforce)
    def enforce_all(access_key: str, action: str, service: str, region: str, **details: Any) -> Any:
        refused = enforce(access_key, action, service, region, **details)
        asked = needs(action, details.get("resource_arn", "*"), details.get("service_context") or {})
        for need in asked if refused is None else ():
            refused = enforce(
                access_key,
                need.action,
                need.action.partition(":")[0],
                region,
                resource_arn=need.resource,
                service_context=dict(need.context),
            )
            if refused is not None:
                break
        return refused

    return enforce_all


def install() -> None:
    """Ask for what is implied by each request to this process."""
    replace(iam_evaluator, "enforce", _asking_for_all)
