"""The metrics and alarms of the emulator's account and region."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any

from botocore.loaders import create_loader
from ministack.services import cloudwatch

from local.cloudwatch.engine import Engine, Transition
from local.cloudwatch.metrics import Metric, Point, Store
from local.cloudwatch.notifications import Place
from local.cloudwatch.reasons import moment
from local.emulator.server.monitoring import clock

ACCOUNT, REGION = os.environ["MINISTACK_ACCOUNT_ID"], os.environ["MINISTACK_REGION"]
STORE = Store()
transitions: list[Transition] = []


def _region_name() -> str:
    (partition,) = [p for p in create_loader().load_data("endpoints")["partitions"] if REGION in p["regions"]]
    return str(partition["regions"][REGION]["description"])


def remember(name: str, composite: bool, kind: str, summary: str, data: str) -> None:
    """Add an entry to the alarm's history as DescribeAlarmHistory returns it."""
    cloudwatch._history_entries().append(
        {
            "AlarmName": name,
            "AlarmType": "CompositeAlarm" if composite else "MetricAlarm",
            "Timestamp": clock.now(),
            "HistoryItemType": kind,
            "HistorySummary": summary,
            "HistoryData": data,
        }
    )


def _observe(transition: Transition) -> None:
    transitions.append(transition)
    data = {
        "version": "1.0",
        "oldState": {"stateValue": transition.old},
        "newState": {
            "stateValue": transition.new,
            "stateReason": transition.reason,
            **({"stateReasonData": json.loads(transition.data)} if transition.data else {}),
        },
    }
    summary = f"Alarm updated from {transition.old} to {transition.new}"
    remember(transition.alarm, transition.composite, "StateUpdate", summary, json.dumps(data))


ENGINE = Engine(
    STORE,
    Place(ACCOUNT, REGION, _region_name()),
    cloudwatch._alarms,
    cloudwatch._composite_alarms,
    _observe,
)


@lru_cache(maxsize=4096)
def _metric(namespace: str, name: str, *dimensions: tuple[str, str]) -> Metric:
    return Metric.of(namespace, name, dict(dimensions))


def count(
    namespace: str, name: str, dimensions: dict[str, str], value: float = 1.0, unit: str = "Count"
) -> None:
    """Add a point of a service's metric, now."""
    STORE.put(_metric(namespace, name, *dimensions.items()), Point(clock.now(), value, 1.0, unit))


def history() -> list[dict[str, Any]]:
    """Return every change of state so far, oldest first."""
    return [
        {
            "alarm": transition.alarm,
            "type": "CompositeAlarm" if transition.composite else "MetricAlarm",
            "at": moment(transition.at),
            "old": transition.old,
            "new": transition.new,
            "reason": transition.reason,
            "data": transition.data,
        }
        for transition in transitions
    ]
