"""Evaluation once a second, and what tests and the demo ask of it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import request_scope

from local.cloudwatch.metrics import MINUTE, Metric, Point
from local.cloudwatch.reasons import moment
from local.emulator.server.monitoring import clock, publishing
from local.emulator.server.monitoring.state import Monitoring, everywhere, here, history

_TICK_SECONDS = 1.0
_log = logging.getLogger("local.emulator.monitoring")
_turn = threading.RLock()
gauges: list[Callable[[bool], None]] = []
"""What publishes the services' gauges, in each place at each turn; told whether it must in any case."""


def tick(force: bool = False) -> None:
    """Publish the gauges, evaluate the alarms and publish what they have to say, in every place."""
    with _turn:
        for monitored in everywhere():
            try:
                _serve(monitored, force)
            except Exception:  # noqa: BLE001 - one alarm that cannot be evaluated must not stop the others
                _log.exception("alarms of %s could not be evaluated", monitored.place.region)


def _serve(monitored: Monitoring, force: bool) -> None:
    with request_scope(monitored.place.account, monitored.place.region):
        iam_evaluator.pin_request_origin("127.0.0.1", True)  # as a service calls: over TLS
        for gauge in gauges:
            gauge(force)
        for notification in monitored.engine.tick(clock.now()):
            publishing.publish(notification)


def publish(points: Iterable[Mapping[str, Any]], account: str, region: str) -> dict[str, Any]:
    """Store points (in PutMetricData's terms, of any namespace, times in this clock) and evaluate.

    Raises ValueError naming what a point lacks.
    """
    with _turn:
        with request_scope(account, region):
            for point in points:
                store(point, point.get("Timestamp"))
        tick()
        return {"now": moment(clock.now())}


def store(datum: Mapping[str, Any], at: float | None) -> None:
    """Store one MetricDatum (with its Namespace), at a time of this clock or now."""
    try:
        dimensions = datum.get("Dimensions") or {}
        if not isinstance(dimensions, Mapping):
            dimensions = {item["Name"]: item["Value"] for item in dimensions}
        metric = Metric.of(datum["Namespace"], datum["MetricName"], dimensions)
        when = clock.now() if at is None else float(at)
        unit, fine = str(datum.get("Unit") or "None"), datum.get("StorageResolution") == 1
        if datum.get("StatisticValues"):
            here().store.put_statistics(metric, when, datum["StatisticValues"], unit)
            return
        values = datum.get("Values") or [datum["Value"]]
    except KeyError as missing:
        raise ValueError(
            f"a point lacks {missing}: write Namespace, MetricName, Dimensions, Value"
        ) from missing
    counts = datum.get("Counts") or [1.0] * len(values)
    for value, number in zip(values, counts, strict=True):
        here().store.put(metric, Point(when, float(value), float(number), unit, fine))


def advance(seconds: float) -> dict[str, Any]:
    """Move the clock, minute by minute: at each one gauges are published and alarms evaluated."""
    with _turn:
        end = clock.now() + seconds
        clock.forward(0 if seconds >= 0 else seconds)
        while (left := end - clock.now()) > 0:
            to_next_minute = MINUTE - clock.now() % MINUTE
            clock.forward(min(to_next_minute, left))
            tick(force=True)
        return {"now": moment(clock.now())}


def report() -> dict[str, Any]:
    """Return the clock, every change of state and what became of every message."""
    return {"now": moment(clock.now()), "history": history(), "published": publishing.outcomes()}


def _run() -> None:
    while True:
        time.sleep(_TICK_SECONDS)
        try:
            tick()
        except Exception:  # noqa: BLE001 - one alarm that cannot be evaluated must not stop the others
            _log.exception("alarms could not be evaluated")


def start() -> None:
    """Evaluate once a second from now on."""
    threading.Thread(target=_run, name="alarms", daemon=True).start()
