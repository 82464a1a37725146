"""The local AWS asks IAM what AWS asks: every key of a request, keys by way of services, what is missing."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from local.emulator import Emulator
from tests.support.local_aws import ACCOUNT, REGION, fifo_queue, policy, refused
from tests.support.policies import Check, allowed

pytestmark = pytest.mark.emulator

TABLE = "iam-rows"
MINE = {"dynamodb:LeadingKeys": ["mine"]}
ONLY_MINE = {"ForAllValues:StringEquals": MINE, "Null": {"dynamodb:LeadingKeys": "false"}}


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("iam") / "log") as emulator:
        emulator.client("dynamodb").create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        )
        yield emulator


def caller(aws: Emulator, service: str, *statements: dict[str, Any]) -> Any:
    """A client of a user who may do what the statements say."""
    iam, name = aws.client("iam"), f"user-{uuid.uuid4().hex[:8]}"
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=policy(*statements))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return aws.client(
        service,
        {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]},
    )


def put(pk: str) -> dict[str, Any]:
    return {"Put": {"TableName": TABLE, "Item": {"pk": {"S": pk}}}}


def row(pk: str) -> dict[str, Any]:
    return {"PutRequest": {"Item": {"pk": {"S": pk}}}}


ROWS = [
    (
        "transact_write_items",
        {"TransactItems": [put("mine")]},
        {"TransactItems": [put("mine"), put("other")]},
    ),
    (
        "transact_get_items",
        {"TransactItems": [{"Get": {"TableName": TABLE, "Key": {"pk": {"S": "mine"}}}}]},
        {
            "TransactItems": [
                {"Get": {"TableName": TABLE, "Key": {"pk": {"S": pk}}}} for pk in ("mine", "other")
            ]
        },
    ),
    (
        "batch_write_item",
        {"RequestItems": {TABLE: [row("mine")]}},
        {"RequestItems": {TABLE: [row("mine"), row("other")]}},
    ),
    (
        "batch_get_item",
        {"RequestItems": {TABLE: {"Keys": [{"pk": {"S": "mine"}}]}}},
        {"RequestItems": {TABLE: {"Keys": [{"pk": {"S": "mine"}}, {"pk": {"S": "other"}}]}}},
    ),
    (
        "put_item",
        {"TableName": TABLE, "Item": {"pk": {"S": "mine"}}},
        {"TableName": TABLE, "Item": {"pk": {"S": "x"}}},
    ),
    (
        "query",
        {
            "TableName": TABLE,
            "KeyConditionExpression": "#k = :k",
            "ExpressionAttributeNames": {"#k": "pk"},
            "ExpressionAttributeValues": {":k": {"S": "mine"}},
        },
        {
            "TableName": TABLE,
            "KeyConditionExpression": "pk = :k",
            "ExpressionAttributeValues": {":k": {"S": "other"}},
        },
    ),
]


@pytest.mark.parametrize(("call", "inside", "outside"), ROWS, ids=[call for call, _, _ in ROWS])
def test_leading_keys_are_those_of_every_item(
    call: str, inside: dict[str, Any], outside: dict[str, Any], aws: Emulator
) -> None:
    dynamodb = caller(aws, "dynamodb", {"Action": "dynamodb:*", "Condition": ONLY_MINE})

    getattr(dynamodb, call)(**inside)
    assert refused(getattr(dynamodb, call), **outside) == "AccessDeniedException"


def test_deny_of_one_partition_denies_a_transaction_that_names_it_once(aws: Emulator) -> None:
    deny = {"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": "run#*"}}
    dynamodb = caller(
        aws,
        "dynamodb",
        {"Action": "dynamodb:*"},
        {"Effect": "Deny", "Action": "dynamodb:PutItem", "Condition": deny},
    )

    dynamodb.transact_write_items(TransactItems=[put("tenant")])
    transaction = [put("tenant"), put("run#charge")]
    assert refused(dynamodb.transact_write_items, TransactItems=transaction) == "AccessDeniedException"


def test_scan_has_no_leading_key(aws: Emulator) -> None:
    bare = {"ForAllValues:StringEquals": MINE}
    caller(aws, "dynamodb", {"Action": "dynamodb:Scan", "Condition": bare}).scan(TableName=TABLE)

    closed = caller(aws, "dynamodb", {"Action": "dynamodb:Scan", "Condition": ONLY_MINE})
    assert refused(closed.scan, TableName=TABLE) == "AccessDeniedException"


def customer_key(aws: Emulator) -> str:
    """The ARN of a new key, whose policy leaves it to the account."""
    return str(aws.client("kms").create_key()["KeyMetadata"]["Arn"])


def through(service: str, key: str, *actions: str) -> dict[str, Any]:
    """A statement that allows KMS actions on a key by way of a service."""
    via = {"StringEquals": {"kms:ViaService": f"{service}.{REGION}.amazonaws.com"}}
    return {"Action": list(actions), "Resource": key, "Condition": via}


def test_encrypted_queue_takes_its_key_by_way_of_sqs(aws: Emulator) -> None:
    key = customer_key(aws)
    url = fifo_queue(aws, "sealed", KmsMasterKeyId=key)
    message = {"QueueUrl": url, "MessageBody": "x", "MessageGroupId": "g", "MessageDeduplicationId": "d"}
    send = {"Action": "sqs:SendMessage"}

    for grants in (
        [],
        [through("sqs", key, "kms:GenerateDataKey")],
        [through("dynamodb", key, "kms:GenerateDataKey", "kms:Decrypt")],
    ):
        denied = caller(aws, "sqs", send, *grants)
        assert "AccessDenied" in refused(denied.send_message, **message)
        batch = [{name: value for name, value in message.items() if name != "QueueUrl"} | {"Id": "0"}]
        assert "AccessDenied" in refused(denied.send_message_batch, QueueUrl=url, Entries=batch)
    caller(aws, "sqs", send, through("sqs", key, "kms:GenerateDataKey", "kms:Decrypt")).send_message(
        **message
    )


def test_key_by_way_of_a_service_is_of_no_use_without_it(aws: Emulator) -> None:
    key = customer_key(aws)
    sealed = aws.client("kms").encrypt(KeyId=key, Plaintext=b"x")["CiphertextBlob"]
    kms = caller(aws, "kms", through("sqs", key, "kms:Decrypt"))

    assert refused(kms.decrypt, CiphertextBlob=sealed, KeyId=key) == "AccessDeniedException"


def test_encrypted_table_takes_its_key_by_way_of_dynamodb(aws: Emulator) -> None:
    key = customer_key(aws)
    aws.client("dynamodb").create_table(
        TableName="sealed",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key},
    )
    read = {"Action": "dynamodb:GetItem"}
    wanted = {"TableName": "sealed", "Key": {"pk": {"S": "a"}}}

    denied = caller(aws, "dynamodb", read, through("sqs", key, "kms:Decrypt"))
    assert refused(denied.get_item, **wanted) == "AccessDeniedException"
    caller(aws, "dynamodb", read, through("dynamodb", key, "kms:Decrypt")).get_item(**wanted)


def test_missing_object_is_forbidden_to_whoever_may_not_list_its_key(aws: Emulator) -> None:
    aws.client("s3").create_bucket(Bucket="parcels", CreateBucketConfiguration={"LocationConstraint": REGION})
    read = {"Action": "s3:GetObject"}

    def listing(prefix: str) -> dict[str, Any]:
        condition = {"StringLike": {"s3:prefix": prefix}}
        return {"Action": "s3:ListBucket", "Resource": "arn:aws:s3:::parcels", "Condition": condition}

    missing = {"Bucket": "parcels", "Key": "charge/none"}
    assert refused(caller(aws, "s3", read).get_object, **missing) == "AccessDenied"
    assert refused(caller(aws, "s3", read, listing("co2/*")).get_object, **missing) == "AccessDenied"
    assert refused(caller(aws, "s3", read, listing("charge/*")).get_object, **missing) == "NoSuchKey"
    assert refused(caller(aws, "s3", listing("charge/*")).list_objects_v2, Bucket="parcels") == "AccessDenied"


def test_key_that_is_made_with_tags_has_to_be_tagged(aws: Emulator) -> None:
    tags = {"Tags": [{"TagKey": "project", "TagValue": "x"}]}
    ours = {"StringEquals": {"aws:RequestTag/project": "x"}}
    every = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/*"
    make = {"Action": "kms:CreateKey"}

    assert refused(caller(aws, "kms", make).create_key, **tags) == "AccessDeniedException"
    one = {"Action": "kms:TagResource", "Resource": every.replace("*", "1"), "Condition": ours}
    assert refused(caller(aws, "kms", make, one).create_key, **tags) == "AccessDeniedException"
    caller(aws, "kms", make, {"Action": "kms:TagResource", "Resource": every, "Condition": ours}).create_key(
        **tags
    )


BOTH = {"StringEquals": {"key:one": "1"}, "Bool": {"key:two": "true"}}


@pytest.mark.parametrize(
    ("statements", "context", "boundary", "verdict"),
    [
        ([{"Action": "x:*"}], {}, None, True),
        ([{"Action": "x:*"}, {"Effect": "Deny", "Action": "x:Y"}], {}, None, False),
        ([{"Action": "x:*"}], {}, [{"Action": "x:Z"}], False),
        ([{"Action": "x:*"}], {}, [{"Action": "x:*", "Condition": BOTH}], False),
        ([{"Action": "x:Y", "Condition": BOTH}], {"key:one": "1", "key:two": "true"}, None, True),
        ([{"Action": "x:Y", "Condition": BOTH}], {"key:one": "1"}, None, False),
        ([{"Action": "x:Y", "Condition": {"StringEqualsIfExists": {"key:one": "1"}}}], {}, None, True),
        (
            [{"Action": "x:Y", "Condition": {"StringEqualsIfExists": {"key:one": "1"}}}],
            {"key:one": "2"},
            None,
            False,
        ),
        ([{"Action": "x:Y", "Condition": {"StringNotEquals": {"key:one": "1"}}}], {}, None, True),
        ([{"Action": "x:Y", "Condition": {"ForAllValues:StringEquals": {"key:one": ["1"]}}}], {}, None, True),
        (
            [{"Action": "x:Y", "Condition": {"ForAllValues:StringEquals": {"key:one": ["1"]}}}],
            {"key:one": ["1", "2"]},
            None,
            False,
        ),
        (
            [{"Action": "x:Y", "Condition": {"ForAnyValue:StringEquals": {"key:one": ["1"]}}}],
            {"key:one": ["1", "2"]},
            None,
            True,
        ),
        ([{"Action": "x:Y", "Condition": {"Null": {"key:one": "false"}}}], {}, None, False),
        ([{"Action": "x:Y", "Resource": "arn:r"}], {}, None, True),
        ([{"Action": "x:Y", "Resource": "arn:other"}], {}, None, False),
    ],
)
def test_simulator_decides_as_iam_does(
    statements: list[dict[str, Any]],
    context: dict[str, Any],
    boundary: list[dict[str, Any]] | None,
    verdict: bool,
    aws: Emulator,
) -> None:
    check = Check("x:Y", "arn:r", context)
    limit = policy(*boundary) if boundary else None

    assert allowed(aws, [policy(*statements)], check, boundary=limit) is verdict


@pytest.mark.parametrize(
    "arguments",
    [
        {"PolicyInputList": ["{"]},
        {"PolicyInputList": [json.dumps({"Statement": [{"Effect": "Perhaps"}]})]},
        {"CallerArn": f"arn:aws:iam::{ACCOUNT}:user/x"},
        {
            "ContextEntries": [
                {"ContextKeyName": "key:one", "ContextKeyType": "string", "ContextKeyValues": ["1", "2"]}
            ]
        },
    ],
)
def test_simulator_refuses_what_it_cannot_judge(arguments: dict[str, Any], aws: Emulator) -> None:
    full = {"PolicyInputList": [policy({"Action": "x:*"})], "ActionNames": ["x:Y"], **arguments}
    assert refused(aws.client("iam").simulate_custom_policy, **full) == "InvalidInput"
