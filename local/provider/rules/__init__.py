"""What the genuine provider refuses, one table a resource type, one module a service.

`VALIDATED` of a module holds the rules of single arguments and of arguments beside each other, which are
checked before a plan; `PLANNED` the rules of whole resources that need the planned values. They follow the
version that the schema file names. A type is here whether or not the stand-in carries it out.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence

from local.provider.engine.rules import Region, Table
from local.provider.engine.schema import load
from local.provider.engine.validation import PlanRule, Rules

# Every number is whole, but for these.
_FRACTIONS = {
    "aws_appautoscaling_policy": {"target_tracking_scaling_policy_configuration.target_value"},
    "aws_cloudwatch_metric_alarm": {"threshold"},
    "aws_lambda_alias": {"routing_config.additional_version_weights"},
    "aws_lambda_function": {
        "capacity_provider_config.lambda_managed_instances_capacity_provider_config"
        ".execution_environment_memory_gib_per_vcpu"
    },
}
# Types that the genuine provider makes with the plugin framework.
_FRAMEWORK = frozenset({"aws_lambda_function_recursion_config", "aws_s3_bucket_lifecycle_configuration"})

_MODULES = [
    importlib.import_module(f"{__name__}.{module.name}")
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name)
    if not module.name.startswith("_")
]
_TABLES: Mapping[str, Table] = {
    name: table for module in _MODULES for name, table in module.VALIDATED.items()
}

VALIDATED: Mapping[str, Rules] = {
    **{
        name: Rules(
            {**({"region": Region()} if "region" in block.attributes else {}), **_TABLES.get(name, {})},
            _FRACTIONS.get(name, frozenset()),
            name in _FRAMEWORK,
        )
        for name, block in load().resources.items()
    },
    **{f"data.{name}": Rules(_TABLES.get(f"data.{name}", {})) for name in load().data_sources},
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {
    name: rules for module in _MODULES for name, rules in module.PLANNED.items()
}
