"""Alarms at work: evaluation, transitions, composites, what is to be published.

Holds no clock and no thread: `tick` is told the time. Alarms are kept in the mappings it is given, in the
shape in which DescribeAlarms returns them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from local.cloudwatch import definitions, reasons, rules
from local.cloudwatch.definitions import ACTIONS, MetricAlarm
from local.cloudwatch.evaluation import ALARM, COMPARISONS, INSUFFICIENT_DATA, OK, Verdict, judge
from local.cloudwatch.metrics import MINUTE, RETENTION_SECONDS, Metric, Store
from local.cloudwatch.notifications import Notification, Place, notification
from local.cloudwatch.refusal import RefusedError
from local.cloudwatch.series import Points, points_of
from local.cloudwatch.suppression import Suppression

Record = dict[str, Any]
_CONFIGURATION = (
    "AlarmName", "AlarmDescription", "ActionsEnabled", *ACTIONS.values(), "MetricName", "Namespace",
    "Statistic", "ExtendedStatistic", "Dimensions", "Period", "Unit", "EvaluationPeriods",
    "DatapointsToAlarm", "Threshold", "ComparisonOperator", "TreatMissingData",
    "EvaluateLowSampleCountPercentile", "Metrics",
)  # fmt: skip
_COMPOSITE = (
    "AlarmName", "AlarmDescription", "ActionsEnabled", *ACTIONS.values(), "AlarmRule", "ActionsSuppressor",
    "ActionsSuppressorWaitPeriod", "ActionsSuppressorExtensionPeriod",
)  # fmt: skip
_STATE = (
    "StateValue",
    "StateReason",
    "StateReasonData",
    "StateUpdatedTimestamp",
    "StateTransitionedTimestamp",
)
_TEN_SECONDS = 10
_SWEEP_SECONDS = 86_400


@dataclass(frozen=True)
class Transition:
    """An alarm's change of state; `at` in seconds of the epoch, `composite` tells its kind."""

    at: float
    alarm: str
    composite: bool
    old: str
    new: str
    reason: str
    data: str


class Engine:
    """All alarms of one account and region."""

    def __init__(
        self,
        store: Store,
        place: Place,
        alarms: MutableMapping[str, Record],
        composites: MutableMapping[str, Record],
        observe: Callable[[Transition], None] = lambda _: None,
    ) -> None:
        """OBSERVE is told every transition, in order."""
        self._store, self._place, self._observe = store, place, observe
        self._alarms, self._composites = alarms, composites
        self._definitions: dict[str, MetricAlarm] = {}
        self._watchers: dict[Metric, set[str]] = {}
        self._parents: dict[str, set[str]] = {}
        self._suppressions: dict[str, Suppression] = {}
        self._old_states: dict[str, str] = {}
        self._new: set[str] = set()
        self._outbox: list[Notification] = []
        self._rolled = 0
        self._swept = 0.0
        self._lock = threading.RLock()

    # Configuration

    def put_metric_alarm(self, values: Record, now: float) -> None:
        """Create or replace a metric alarm; it keeps its state. Raises RefusedError."""
        definition = definitions.metric_alarm(values)
        name = str(values["AlarmName"])
        with self._lock:
            if name in self._composites:
                raise RefusedError(f"alarm {name} is a composite alarm; delete it first or take another name")
            record = self._record(values, _CONFIGURATION, self._alarms.get(name), now)
            record.setdefault("TreatMissingData", "missing")
            self._unwatch(name)
            self._alarms[name] = record
            self._definitions[name] = definition
            for metric in definition.metrics:
                self._watchers.setdefault(metric, set()).add(name)
            self._new.add(name)

    def put_composite_alarm(self, values: Record, now: float) -> None:
        """Create or replace a composite alarm and evaluate its rule at once. Raises RefusedError."""
        definitions.check_shared(values)
        name, rule = str(values["AlarmName"]), rules.parse(str(values.get("AlarmRule") or ""))
        with self._lock:
            if name in self._alarms:
                raise RefusedError(f"alarm {name} is a metric alarm; delete it first or take another name")
            missing = [child for child in rule.children() if self._find(child) is None]
            if missing:
                arns = ", ".join(self._arn(self._name(child)) for child in missing)
                raise RefusedError(
                    f"Could not save the composite alarm as alarms [{arns}] in the alarm rule do not exist"
                )
            suppression = self._suppression(name, values)
            record = self._record(values, _COMPOSITE, self._composites.get(name), now)
            is_new = name not in self._composites
            self._unwatch(name)
            self._composites[name] = record
            for child in rule.children():
                self._parents.setdefault(self._name(child), set()).add(name)
            if suppression is None:
                self._suppressions.pop(name, None)
            else:
                self._suppressions[name] = suppression
            verb = "created" if is_new else "updated"
            self._judge_composite(
                record, f"{record['AlarmArn']} was {verb} and its alarm rule evaluates to", now
            )

    def _suppression(self, name: str, values: Record) -> Suppression | None:
        suppressor = values.get("ActionsSuppressor")
        wait, extension = (values.get(f"ActionsSuppressor{which}Period") for which in ("Wait", "Extension"))
        if not suppressor:
            if wait is not None or extension is not None:
                raise RefusedError(f"alarm {name}: wait and extension periods need an ActionsSuppressor")
            return None
        if wait is None or extension is None:
            raise RefusedError(f"alarm {name}: an ActionsSuppressor needs a wait and an extension period")
        if self._find(suppressor) is None:
            raise RefusedError(f"alarm {name}: the ActionsSuppressor {suppressor} does not exist")
        before = self._composites.get(name)
        kept = self._suppressions.get(name)
        if before and kept and before.get("ActionsSuppressor") == suppressor:
            kept.wait, kept.extension = float(wait), float(extension)
            return kept
        return Suppression(float(wait), float(extension))

    def _record(self, values: Record, fields: tuple[str, ...], before: Record | None, now: float) -> Record:
        record = {field: values[field] for field in fields if values.get(field) is not None}
        record.setdefault("ActionsEnabled", True)
        for field in ACTIONS.values():
            record.setdefault(field, [])
        state = {
            "StateValue": INSUFFICIENT_DATA,
            "StateReason": reasons.INITIAL,
            "StateUpdatedTimestamp": now,
            "StateTransitionedTimestamp": now,
        }
        if before is not None:
            state = {field: before[field] for field in _STATE if field in before}
        arn = self._arn(str(values["AlarmName"]))
        return {**record, "AlarmArn": arn, "AlarmConfigurationUpdatedTimestamp": now, **state}

    def _arn(self, name: str) -> str:
        return f"arn:aws:cloudwatch:{self._place.region}:{self._place.account}:alarm:{name}"

    @staticmethod
    def _name(reference: str) -> str:
        """The name in a reference of a rule: a name, or an ARN."""
        return reference.split(":alarm:", 1)[-1] if reference.startswith("arn:") else reference

    def _find(self, reference: str) -> Record | None:
        name = self._name(reference)
        record: Record | None = self._alarms.get(name) or self._composites.get(name)
        return record

    def _unwatch(self, name: str) -> None:
        for names in (*self._watchers.values(), *self._parents.values()):
            names.discard(name)

    def dependents(self, name: str) -> list[str]:
        """The composites that name this alarm in their rule or as their suppressor: it cannot be deleted."""
        with self._lock:
            suppressed = [
                parent
                for parent, record in self._composites.items()
                if self._name(record.get("ActionsSuppressor") or "") == name
            ]
            return sorted({*self._parents.get(name, set()), *suppressed})

    def forget(self, name: str) -> None:
        """Let go of an alarm that has been deleted from its mapping."""
        with self._lock:
            self._unwatch(name)
            for kept in (self._definitions, self._suppressions, self._old_states):
                kept.pop(name, None)
            self._new.discard(name)

    # Evaluation

    def tick(self, now: float) -> list[Notification]:
        """Evaluate what may have changed by NOW and return what is to be published, in order.

        Alarms are looked at when their metrics got points and whenever a minute (10 seconds for high
        resolution) has passed; composites when a child changed.
        """
        with self._lock:
            for name in self._due(now):
                if name in self._alarms:
                    self._judge(name, now)
            self._release(now)
            outbox, self._outbox = self._outbox, []
            return outbox

    def _due(self, now: float) -> Iterator[str]:
        due, self._new = self._new, set()
        for metric in self._store.take_changed():
            due |= self._watchers.get(metric, set())
        step = int(now // _TEN_SECONDS)
        if step != self._rolled:
            minute_passed = step * _TEN_SECONDS // MINUTE != self._rolled * _TEN_SECONDS // MINUTE
            self._rolled = step
            due |= {
                name for name, alarm in self._definitions.items() if minute_passed or alarm.period < MINUTE
            }
            if self._swept + _SWEEP_SECONDS < now:
                self._swept = now
                self._store.forget(now - RETENTION_SECONDS)
        yield from sorted(due)

    def _judge(self, name: str, now: float) -> None:
        alarm, record = self._definitions[name], self._alarms[name]
        points = points_of(alarm, self._store, now)
        breaches = COMPARISONS[alarm.comparison]
        verdict = judge(
            [None if value is None else breaches(value, alarm.threshold) for value in points.values],
            alarm.evaluation_periods,
            alarm.datapoints_to_alarm,
            alarm.treatment,
        )
        old = record["StateValue"]
        if verdict.state in (None, old) or _says_little(alarm, points, verdict):
            return
        data = json.dumps(reasons.reason_data(alarm, points, verdict, now))
        self._change(record, str(verdict.state), reasons.reason(alarm, points, verdict, old), data, now)

    def _judge_composite(self, record: Record, why: str, now: float) -> None:
        rule = rules.parse(record["AlarmRule"])

        def state_of(child: str) -> str | None:
            found = self._find(child)
            return None if found is None else str(found["StateValue"])

        new = ALARM if rule.holds(state_of) else OK
        if new == record["StateValue"]:
            return
        agreeing = [self._find(child) for child in rule.agreeing(state_of, new == ALARM)]
        children = sorted(
            (child for child in agreeing if child is not None),
            key=lambda child: -float(child["StateTransitionedTimestamp"]),
        )
        data = {
            "triggeringAlarms": [
                {
                    "arn": child["AlarmArn"],
                    "state": {
                        "value": child["StateValue"],
                        "timestamp": reasons.moment(child["StateTransitionedTimestamp"]),
                    },
                }
                for child in children
            ]
        }
        reason = f"{why} {new}" if why.endswith("evaluates to") else why
        self._change(record, new, reason, json.dumps(data), now)

    def set_state(self, name: str, state: str, reason: str, data: str, now: float) -> bool:
        """SetAlarmState: put an alarm into a state until it is evaluated next; False if there is none."""
        with self._lock:
            record = self._find(name)
            if record is None:
                return False
            if record["StateValue"] != state:
                self._change(record, state, reason, data, now)
            return True

    def _change(self, record: Record, new: str, reason: str, data: str, now: float) -> None:
        name, old = str(record["AlarmName"]), str(record["StateValue"])
        record.update(
            StateValue=new,
            StateReason=reason[:1023],
            StateReasonData=data,
            StateUpdatedTimestamp=now,
            StateTransitionedTimestamp=now,
        )
        self._old_states[name] = old
        self._observe(Transition(now, name, "AlarmRule" in record, old, new, record["StateReason"], data))
        suppression = self._suppressions.get(name)
        if suppression is None:
            self._act(record, old)
        else:
            suppression.changed(now, self._suppressing(record))
            self._settle(record, suppression, now)
        for parent in sorted(self._parents.get(name, set())):
            when = f"{datetime.fromtimestamp(now, UTC):%A %d %B, %Y %H:%M:%S} UTC"
            why = f"{record['AlarmArn']} transitioned to {new} at {when}"
            composite = self._composites.get(parent)
            # A composite that changed in this very moment already is part of a cycle: evaluation stops.
            if composite is not None and not (composite is record or self._cyclic(parent, name)):
                self._judge_composite(composite, why, now)

    def _cyclic(self, parent: str, child: str) -> bool:
        """Whether PARENT is itself a descendant of CHILD's rule."""
        seen, queue = set(), [child]
        while queue:
            record = self._composites.get(queue.pop())
            for reference in rules.parse(record["AlarmRule"]).children() if record else []:
                name = self._name(reference)
                if name == parent:
                    return True
                if name not in seen:
                    seen.add(name)
                    queue.append(name)
        return False

    # Actions

    def _suppressing(self, record: Record) -> bool:
        suppressor = self._find(record["ActionsSuppressor"])
        return suppressor is not None and suppressor["StateValue"] == ALARM

    def _release(self, now: float) -> None:
        for name, suppression in self._suppressions.items():
            self._settle(self._composites[name], suppression, now)

    def _settle(self, record: Record, suppression: Suppression, now: float) -> None:
        if suppression.due(now, self._suppressing(record)):
            self._act(record, self._old_states[str(record["AlarmName"])])
        if suppression.by is None:
            record.pop("ActionsSuppressedBy", None)
            record.pop("ActionsSuppressedReason", None)
        else:
            record["ActionsSuppressedBy"] = suppression.by
            record["ActionsSuppressedReason"] = f"Actions suppressed by {suppression.by}"

    def _act(self, record: Record, old: str) -> None:
        if record["ActionsEnabled"]:
            for action in record[ACTIONS[record["StateValue"]]]:
                self._outbox.append(notification(record, old, action, self._place))


def _says_little(alarm: MetricAlarm, points: Points, verdict: Verdict) -> bool:
    """Whether the alarm keeps its state because a percentile rests on too few samples."""
    return alarm.low_samples == "ignore" and any(at in points.sparse for at in verdict.used)
