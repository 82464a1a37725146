"""Application auto scaling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local.provider.engine.rules import ConflictsWith, Length, OneOf, Table
from local.provider.engine.validation import PlanRule

_TRACKING = "target_tracking_scaling_policy_configuration"
_CUSTOM = f"{_TRACKING}.customized_metric_specification"

VALIDATED: Mapping[str, Table] = {
    "aws_appautoscaling_policy": {
        "name": Length(0, 255),
        _CUSTOM: ConflictsWith("predefined_metric_specification"),
        f"{_CUSTOM}.dimensions": ConflictsWith("metrics"),
        f"{_CUSTOM}.metric_name": ConflictsWith("metrics"),
        f"{_CUSTOM}.metrics": ConflictsWith("dimensions", "metric_name", "namespace", "statistic", "unit"),
        f"{_CUSTOM}.metrics.expression": Length(1, 2047),
        f"{_CUSTOM}.metrics.id": Length(1, 255),
        f"{_CUSTOM}.metrics.label": Length(1, 2047),
        f"{_CUSTOM}.metrics.metric_stat.stat": Length(1, 100),
        f"{_CUSTOM}.namespace": ConflictsWith("metrics"),
        f"{_CUSTOM}.statistic": (
            ConflictsWith("metrics"),
            OneOf("Average", "Maximum", "Minimum", "SampleCount", "Sum"),
        ),
        f"{_CUSTOM}.unit": ConflictsWith("metrics"),
        f"{_TRACKING}.predefined_metric_specification": ConflictsWith("customized_metric_specification"),
        f"{_TRACKING}.predefined_metric_specification.resource_label": Length(0, 1023),
    },
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
