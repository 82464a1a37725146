"""DynamoDB tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from local.provider.engine.errors import Problem
from local.provider.engine.rules import (
    Arn,
    ConflictsWith,
    ExactlyOneOf,
    OneOf,
    OnlyWhen,
    Range,
    Region,
    RequiredWhen,
    Table,
    Timestamp,
    When,
)
from local.provider.engine.validation import Planned, PlanRule
from local.provider.engine.values import UNKNOWN, at, known

_PROVISIONED, _ON_DEMAND = "PROVISIONED", "PAY_PER_REQUEST"
_PROJECTIONS = OneOf("ALL", "INCLUDE", "KEYS_ONLY")
_CAPACITY = (
    ConflictsWith("on_demand_throughput"),
    When("billing_mode", _PROVISIONED, Range(1)),
    When("billing_mode", _ON_DEMAND, OneOf(0)),
)
_READ_UNITS, _WRITE_UNITS = Range(12_000), Range(4000)

VALIDATED: Mapping[str, Table] = {
    "aws_dynamodb_table": {
        "attribute.type": OneOf("B", "N", "S"),
        "billing_mode": OneOf(_ON_DEMAND, _PROVISIONED),
        "global_secondary_index.hash_key": ExactlyOneOf("hash_key", "key_schema"),
        "global_secondary_index.key_schema.key_type": OneOf("HASH", "RANGE"),
        "global_secondary_index.projection_type": _PROJECTIONS,
        "global_secondary_index.range_key": ConflictsWith("key_schema"),
        "global_secondary_index.warm_throughput.read_units_per_second": _READ_UNITS,
        "global_secondary_index.warm_throughput.write_units_per_second": _WRITE_UNITS,
        "global_table_witness.region_name": Region(),
        "import_table": ConflictsWith("restore_source_name", "restore_source_table_arn"),
        "local_secondary_index.projection_type": _PROJECTIONS,
        "point_in_time_recovery.recovery_period_in_days": Range(1, 35),
        "read_capacity": _CAPACITY,
        "replica.kms_key_arn": Arn(),
        "restore_date_time": Timestamp(),
        "restore_source_name": ConflictsWith("import_table", "restore_source_table_arn"),
        "restore_source_table_arn": (ConflictsWith("import_table", "restore_source_name"), Arn()),
        "server_side_encryption.kms_key_arn": Arn(),
        "stream_view_type": (
            RequiredWhen("stream_enabled", True),
            OnlyWhen("stream_enabled", True),
            OneOf("", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE"),
        ),
        "table_class": OneOf("STANDARD", "STANDARD_INFREQUENT_ACCESS"),
        "ttl.attribute_name": RequiredWhen("enabled", True),
        "warm_throughput.read_units_per_second": _READ_UNITS,
        "warm_throughput.write_units_per_second": _WRITE_UNITS,
        "write_capacity": _CAPACITY,
    },
}
_KEYS = (
    "hash_key",
    "range_key",
    "global_secondary_index.hash_key",
    "global_secondary_index.range_key",
    "local_secondary_index.range_key",
)


def _keys(change: Planned) -> Iterator[Problem]:
    """Keys and attribute definitions name the same attributes.

    What a new table leaves out is nothing, though the service could fill it in.
    """
    values = change.config if change.prior is None else change.values
    blocks = ("attribute", "global_secondary_index", "local_secondary_index")
    if any(values[name] is UNKNOWN for name in blocks):
        return
    keys = {key for path in _KEYS for key in at(values, path) if known(key)}
    defined = {known(name) or "(not known yet)" for name in at(values, "attribute.name")}
    if unindexed := sorted(defined - keys):
        yield Problem(
            f"aws_dynamodb_table: all attributes must be indexed; unused: {', '.join(unindexed)}",
            "Define as attribute only what is a key of the table or of an index.",
            "attribute",
        )
    if undefined := sorted(keys - defined):
        yield Problem(
            f"aws_dynamodb_table: no attribute block for the key {', '.join(undefined)}",
            "Each key needs an attribute block with its type.",
            "attribute",
        )


def _capacity(change: Planned) -> Iterator[Problem]:
    """A new provisioned table says how much; later provider versions leave it to DynamoDB to refuse it."""
    if change.prior is not None or change.values["billing_mode"] != _PROVISIONED:
        return
    for name in ("read_capacity", "write_capacity"):
        if not change.config[name]:
            yield Problem(
                f"{name} must be at least 1 when billing_mode is {_PROVISIONED}",
                f"Write it, or billing_mode = {_ON_DEMAND}.",
                name,
            )


PLANNED: Mapping[str, Sequence[PlanRule]] = {"aws_dynamodb_table": (_keys, _capacity)}
