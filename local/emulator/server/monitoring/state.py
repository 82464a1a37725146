"""The metrics and alarms of each account and region, made when it is first used."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from botocore.loaders import create_loader
from ministack.core.responses import get_account_id, get_region
from ministack.services import cloudwatch

from local.cloudwatch.engine import Engine, Transition
from local.cloudwatch.metrics import Metric, Point, Store
from local.cloudwatch.notifications import Place
from local.cloudwatch.reasons import moment
from local.emulator.server.monitoring import clock


@dataclass(frozen=True)
class Monitoring:
    """The metrics and alarms of one place; its engine is used in that place's request scope only."""

    place: Place
    store: Store
    engine: Engine


_monitored: dict[tuple[str, str], Monitoring] = {}
_lock = threading.Lock()
_transitions: list[tuple[Place, Transition]] = []


@cache
def _region_name(region: str) -> str:
    """A region as AWS shows it, such as Asia Pacific (Tokyo); one that botocore does not know, by its id."""
    for partition in create_loader().load_data("endpoints")["partitions"]:
        if region in partition["regions"]:
            return str(partition["regions"][region]["description"])
    return region


def here() -> Monitoring:
    """Return the metrics and alarms of the account and region on whose behalf this thread acts."""
    scope = (get_account_id(), get_region())
    with _lock:
        if scope not in _monitored:
            _monitored[scope] = _made(*scope)
        return _monitored[scope]


def everywhere() -> list[Monitoring]:
    """Return the metrics and alarms of every account and region that has been used."""
    with _lock:
        return list(_monitored.values())


def _made(account: str, region: str) -> Monitoring:
    place, store = Place(account, region, _region_name(region)), Store()

    def observe(transition: Transition) -> None:
        _transitions.append((place, transition))
        _observe(transition)

    # MiniStack's mappings show the alarms of the scope in which they are used.
    alarms, composites = cloudwatch._alarms, cloudwatch._composite_alarms
    return Monitoring(place, store, Engine(store, place, alarms, composites, observe))


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


@lru_cache(maxsize=4096)
def _metric(namespace: str, name: str, *dimensions: tuple[str, str]) -> Metric:
    return Metric.of(namespace, name, dict(dimensions))


def count(
    namespace: str, name: str, dimensions: dict[str, str], value: float = 1.0, unit: str = "Count"
) -> None:
    """Add a point of a service's metric, now and here."""
    metric = _metric(namespace, name, *dimensions.items())
    here().store.put(metric, Point(clock.now(), value, 1.0, unit))


def history() -> list[dict[str, Any]]:
    """Return every change of state so far, oldest first."""
    return [
        {
            "alarm": transition.alarm,
            "account": place.account,
            "region": place.region,
            "type": "CompositeAlarm" if transition.composite else "MetricAlarm",
            "at": moment(transition.at),
            "old": transition.old,
            "new": transition.new,
            "reason": transition.reason,
            "data": transition.data,
        }
        for place, transition in list(_transitions)
    ]
