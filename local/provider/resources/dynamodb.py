"""DynamoDB tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.resource import Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import block, changed, present, tag_list, tag_map, wait_until

_GONE = frozenset({"ResourceNotFoundException"})
_ON_DEMAND = "PAY_PER_REQUEST"


class Table(Resource):
    """`aws_dynamodb_table`, without replicas, imports, restores, warm and on-demand throughput."""

    type = "aws_dynamodb_table"
    arguments = frozenset(
        {
            "attribute",
            "billing_mode",
            "deletion_protection_enabled",
            "global_secondary_index",
            "hash_key",
            "local_secondary_index",
            "name",
            "point_in_time_recovery",
            "range_key",
            "read_capacity",
            "server_side_encryption",
            "stream_enabled",
            "stream_view_type",
            "table_class",
            "ttl",
            "write_capacity",
        }
    )
    refused = frozenset(
        {
            "global_secondary_index.key_schema",
            "global_secondary_index.on_demand_throughput",
            "global_secondary_index.warm_throughput",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "billing_mode": "PROVISIONED",
        "table_class": "STANDARD",
        "ttl.enabled": False,
    }
    force_new = frozenset({"hash_key", "local_secondary_index", "name", "range_key"})
    computed_blocks = frozenset(
        {"attribute", "point_in_time_recovery", "server_side_encryption", "ttl", "warm_throughput"}
    )
    missing = _GONE
    tagging = Tagging("dynamodb", "ResourceArn")

    @override
    def plan(self, aws: Aws, prior: Values | None, planned: Values, config: Values) -> None:
        """The standard class is no difference."""
        if planned["table_class"] == "STANDARD" and not (prior and prior["table_class"]):
            planned["table_class"] = None

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateTable, then what only an existing table takes."""
        client, name = aws.client("dynamodb"), planned["name"]
        encryption = block(planned, "server_side_encryption")
        client.create_table(
            TableName=name,
            AttributeDefinitions=_definitions(planned),
            BillingMode=planned["billing_mode"],
            DeletionProtectionEnabled=bool(planned["deletion_protection_enabled"]),
            KeySchema=_keys(planned),
            Tags=tag_list(planned["tags_all"]),
            **present(
                GlobalSecondaryIndexes=[_index(index, planned) for index in planned["global_secondary_index"]]
                or None,
                LocalSecondaryIndexes=[
                    _index({**index, "hash_key": planned["hash_key"]}, planned, local=True)
                    for index in planned["local_secondary_index"]
                ]
                or None,
                ProvisionedThroughput=_throughput(planned, planned),
                SSESpecification=_encryption(encryption) if encryption else None,
                StreamSpecification=_stream(planned) if planned["stream_enabled"] else None,
                TableClass=planned["table_class"] or None,
            ),
        )
        self._await_active(aws, name)
        if (ttl := block(planned, "ttl")) and ttl["enabled"]:
            self._set_ttl(aws, name, ttl)
        if recovery := block(planned, "point_in_time_recovery"):
            self._set_recovery(aws, name, recovery)
        return str(name)

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """DescribeTable, its TTL, its backups and its tags."""
        client, name = aws.client("dynamodb"), state["id"]
        table = client.describe_table(TableName=name)["Table"]
        ttl = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        backups = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
        recovery = backups["PointInTimeRecoveryDescription"]
        keys = {key["KeyType"]: key["AttributeName"] for key in table["KeySchema"]}
        stream = table.get("StreamSpecification", {})
        encryption = table.get("SSEDescription")
        throughput = table.get("ProvisionedThroughput", {})
        pages = client.get_paginator("list_tags_of_resource").paginate(ResourceArn=table["TableArn"])
        return {
            "arn": table["TableArn"],
            "attribute": [
                {"name": item["AttributeName"], "type": item["AttributeType"]}
                for item in table["AttributeDefinitions"]
            ],
            "billing_mode": table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
            "deletion_protection_enabled": table.get("DeletionProtectionEnabled", False),
            "global_secondary_index": [
                {
                    **_described_index(index),
                    "hash_key": _index_key(index, "HASH"),
                    "read_capacity": index.get("ProvisionedThroughput", {}).get("ReadCapacityUnits", 0),
                    "write_capacity": index.get("ProvisionedThroughput", {}).get("WriteCapacityUnits", 0),
                }
                for index in table.get("GlobalSecondaryIndexes", [])
            ],
            "hash_key": keys["HASH"],
            "local_secondary_index": [
                _described_index(index) for index in table.get("LocalSecondaryIndexes", [])
            ],
            "name": name,
            "point_in_time_recovery": [
                {
                    "enabled": recovery["PointInTimeRecoveryStatus"] == "ENABLED",
                    **present(recovery_period_in_days=recovery.get("RecoveryPeriodInDays")),
                }
            ],
            "range_key": keys.get("RANGE"),
            "read_capacity": throughput.get("ReadCapacityUnits", 0),
            "server_side_encryption": [
                {
                    "enabled": encryption["Status"] in ("ENABLED", "ENABLING", "UPDATING"),
                    "kms_key_arn": encryption.get("KMSMasterKeyArn"),
                }
            ]
            if encryption
            else [],
            "stream_arn": table.get("LatestStreamArn", ""),
            "stream_enabled": stream.get("StreamEnabled", False),
            "stream_label": table.get("LatestStreamLabel", ""),
            "stream_view_type": stream.get("StreamViewType", ""),
            "table_class": table.get("TableClassSummary", {}).get("TableClass", "STANDARD"),
            "tags_all": tag_map(tag for page in pages for tag in page["Tags"]),
            "ttl": [
                {
                    "attribute_name": ttl.get("AttributeName"),
                    "enabled": ttl["TimeToLiveStatus"] in ("ENABLED", "ENABLING"),
                }
            ],
            "write_capacity": throughput.get("WriteCapacityUnits", 0),
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """UpdateTable in the steps that DynamoDB wants one at a time, then TTL and backups."""
        client, name = aws.client("dynamodb"), planned["id"]
        for step in _update_steps(prior, planned):
            client.update_table(TableName=name, **step)
            self._await_active(aws, name)
        if changed(prior, planned, "ttl") and (ttl := block(planned, "ttl")):
            before = block(prior, "ttl") or {}
            self._set_ttl(
                aws, name, {**ttl, "attribute_name": ttl["attribute_name"] or before.get("attribute_name")}
            )
        if changed(prior, planned, "point_in_time_recovery"):
            self._set_recovery(aws, name, block(planned, "point_in_time_recovery") or {"enabled": False})

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteTable."""
        client, name = aws.client("dynamodb"), state["id"]
        client.delete_table(TableName=name)
        client.get_waiter("table_not_exists").wait(
            TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60}
        )

    def _await_active(self, aws: Aws, name: str) -> None:
        client = aws.client("dynamodb")

        def active() -> bool:
            table = client.describe_table(TableName=name)["Table"]
            indexes = table.get("GlobalSecondaryIndexes", [])
            return table["TableStatus"] == "ACTIVE" and all(
                index.get("IndexStatus", "ACTIVE") == "ACTIVE" for index in indexes
            )

        wait_until(active, f"table {name} becoming active")

    def _set_ttl(self, aws: Aws, name: str, ttl: Values) -> None:
        if not ttl["attribute_name"]:
            return
        aws.client("dynamodb").update_time_to_live(
            TableName=name,
            TimeToLiveSpecification={"AttributeName": ttl["attribute_name"], "Enabled": bool(ttl["enabled"])},
        )

    def _set_recovery(self, aws: Aws, name: str, recovery: Values) -> None:
        aws.client("dynamodb").update_continuous_backups(
            TableName=name,
            PointInTimeRecoverySpecification={
                "PointInTimeRecoveryEnabled": recovery["enabled"],
                **present(RecoveryPeriodInDays=recovery.get("recovery_period_in_days") or None),
            },
        )


def _update_steps(prior: Values, planned: Values) -> Iterator[dict[str, Any]]:
    if changed(prior, planned, "billing_mode", "read_capacity", "write_capacity"):
        yield {
            "BillingMode": planned["billing_mode"],
            **present(ProvisionedThroughput=_throughput(planned, planned)),
        }
    if changed(prior, planned, "deletion_protection_enabled"):
        yield {"DeletionProtectionEnabled": bool(planned["deletion_protection_enabled"])}
    if changed(prior, planned, "table_class"):
        yield {"TableClass": planned["table_class"] or "STANDARD"}
    if changed(prior, planned, "stream_enabled", "stream_view_type"):
        if prior["stream_enabled"]:
            yield {"StreamSpecification": {"StreamEnabled": False}}
        if planned["stream_enabled"]:
            yield {"StreamSpecification": _stream(planned)}
    if changed(prior, planned, "server_side_encryption"):
        encryption = block(planned, "server_side_encryption")
        yield {"SSESpecification": _encryption(encryption) if encryption else {"Enabled": False}}
    before = {index["name"]: index for index in prior["global_secondary_index"]}
    after = {index["name"]: index for index in planned["global_secondary_index"]}
    for name in sorted(before):
        if before[name] != after.get(name):
            yield {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}
    for name in sorted(after):
        if after[name] != before.get(name):
            yield {
                "AttributeDefinitions": _definitions(planned),
                "GlobalSecondaryIndexUpdates": [{"Create": _index(after[name], planned)}],
            }


def _definitions(planned: Values) -> list[dict[str, str]]:
    return [{"AttributeName": item["name"], "AttributeType": item["type"]} for item in planned["attribute"]]


def _keys(values: Values) -> list[dict[str, str]]:
    return [
        {"AttributeName": values[name], "KeyType": kind}
        for name, kind in (("hash_key", "HASH"), ("range_key", "RANGE"))
        if values[name]
    ]


def _throughput(values: Values, table: Values) -> dict[str, int] | None:
    if table["billing_mode"] == _ON_DEMAND:
        return None
    return {
        "ReadCapacityUnits": values["read_capacity"] or 1,
        "WriteCapacityUnits": values["write_capacity"] or 1,
    }


def _index(index: Values, table: Values, *, local: bool = False) -> dict[str, Any]:
    projection = {
        "ProjectionType": index["projection_type"],
        **present(NonKeyAttributes=index["non_key_attributes"] or None),
    }
    throughput = None if local else _throughput(index, table)
    return {
        "IndexName": index["name"],
        "KeySchema": _keys(index),
        "Projection": projection,
        **present(ProvisionedThroughput=throughput),
    }


def _index_key(index: Mapping[str, Any], kind: str) -> str | None:
    return next((key["AttributeName"] for key in index["KeySchema"] if key["KeyType"] == kind), None)


def _described_index(index: Mapping[str, Any]) -> Values:
    return {
        "name": index["IndexName"],
        "non_key_attributes": index["Projection"].get("NonKeyAttributes"),
        "projection_type": index["Projection"]["ProjectionType"],
        "range_key": _index_key(index, "RANGE"),
    }


def _encryption(encryption: Values) -> dict[str, Any]:
    if not encryption["enabled"]:
        return {"Enabled": False}
    return {
        "Enabled": True,
        "SSEType": "KMS",
        **present(KMSMasterKeyId=encryption["kms_key_arn"] or None),
    }


def _stream(planned: Values) -> dict[str, Any]:
    return {"StreamEnabled": True, "StreamViewType": planned["stream_view_type"]}
