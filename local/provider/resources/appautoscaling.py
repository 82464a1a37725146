"""Application auto scaling: planned, but not applied, as the local AWS has no such service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem
from local.provider.engine.resource import Resource
from local.provider.engine.values import Values

_TARGET = frozenset({"resource_id", "scalable_dimension", "service_namespace"})
_TRACKING = "target_tracking_scaling_policy_configuration"


class _Planned(Resource):
    applied = False

    def _refuse(self) -> NoReturn:
        raise Problem(
            f"{self.type} cannot be applied here: the local AWS has no application auto scaling",
            "Plan it here, and apply it with the genuine provider in an account.",
        )

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """Refused."""
        self._refuse()

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """Refused: there is none to read."""
        self._refuse()

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """Refused: there is none to delete."""
        self._refuse()


class ScalableTarget(_Planned):
    """`aws_appautoscaling_target`."""

    type = "aws_appautoscaling_target"
    arguments = frozenset({*_TARGET, "max_capacity", "min_capacity", "role_arn", "suspended_state"})
    force_new = _TARGET


class ScalingPolicy(_Planned):
    """`aws_appautoscaling_policy`."""

    type = "aws_appautoscaling_policy"
    arguments = frozenset(
        {
            *_TARGET,
            "name",
            "policy_type",
            "predictive_scaling_policy_configuration",
            "step_scaling_policy_configuration",
            _TRACKING,
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "policy_type": "StepScaling",
        f"{_TRACKING}.customized_metric_specification.metrics.return_data": True,
        f"{_TRACKING}.disable_scale_in": False,
    }
    force_new = frozenset({*_TARGET, "name"})
