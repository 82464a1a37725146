"""Where the provider is: account, partition, region."""

from __future__ import annotations

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem
from local.provider.engine.resource import DataSource
from local.provider.engine.values import Values


class CallerIdentity(DataSource):
    """`aws_caller_identity`, from STS."""

    type = "aws_caller_identity"

    @override
    def read(self, aws: Aws, config: Values) -> Values:
        """The identity that the endpoint sees."""
        caller = aws.caller
        return {
            "id": caller["Account"],
            "account_id": caller["Account"],
            "arn": caller["Arn"],
            "user_id": caller["UserId"],
        }


class Partition(DataSource):
    """`aws_partition`, from botocore's endpoint data."""

    type = "aws_partition"

    @override
    def read(self, aws: Aws, config: Values) -> Values:
        """The partition of the provider's region."""
        suffix: str = aws.partition_data["dnsSuffix"]
        return {
            "id": aws.partition,
            "partition": aws.partition,
            "dns_suffix": suffix,
            "reverse_dns_prefix": ".".join(reversed(suffix.split("."))),
        }


class Region(DataSource):
    """`aws_region`, from botocore's endpoint data."""

    type = "aws_region"

    @override
    def read(self, aws: Aws, config: Values) -> Values:
        """The region asked for, else the provider's."""
        name = config["region"] or config["name"] or aws.region
        here = aws.in_region(name)
        known = here.partition_data["regions"].get(name)
        if known is None:
            raise Problem(
                f"data.aws_region: {name!r} is not a region", "Write the code of a region of AWS.", "region"
            )
        return {
            "id": name,
            "name": name,
            "region": name,
            "description": known["description"],
            "endpoint": f"ec2.{name}.{here.partition_data['dnsSuffix']}",
        }
