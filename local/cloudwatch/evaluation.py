"""From data points to a state: M out of N, and what missing data points do.

Source: Amazon CloudWatch User Guide, "Alarm evaluation" and "Configuring how CloudWatch alarms treat missing
data" (evaluation range, the two tables, premature transitions to alarm state).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

State = str
OK, ALARM, INSUFFICIENT_DATA = "OK", "ALARM", "INSUFFICIENT_DATA"
STATES = (OK, ALARM, INSUFFICIENT_DATA)
TREATMENTS = ("breaching", "notBreaching", "ignore", "missing")
COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}
# "Attempts to retrieve a higher number of data points than the number specified as Evaluation Periods";
# the guide's tables have 5 for 3.
_EXTRA_POINTS = 2


def evaluation_range(evaluation_periods: int) -> int:
    """How many periods CloudWatch looks back over to find EVALUATION_PERIODS data points."""
    return evaluation_periods + _EXTRA_POINTS


@dataclass(frozen=True)
class Verdict:
    """What an evaluation found.

    `state` is None where the alarm keeps the state it has; `used` are the positions of the data points that
    decided, newest first; `filled` is how many missing ones were treated as breaching or not.
    """

    state: State | None
    used: tuple[int, ...]
    filled: int


def judge(
    breaching: Sequence[bool | None], evaluation_periods: int, datapoints_to_alarm: int, treatment: str
) -> Verdict:
    """Return the state for data points from the oldest to the newest: breaching, not breaching or missing."""
    real = [at for at in reversed(range(len(breaching))) if breaching[at] is not None]
    used = tuple(real[:evaluation_periods])
    breaches = sum(breaching[at] is True for at in used)
    lacking = evaluation_periods - len(used)
    if lacking == 0:  # the treatment of missing data has no say
        return Verdict(ALARM if breaches >= datapoints_to_alarm else OK, used, 0)
    if treatment in ("breaching", "notBreaching"):
        counted = breaches + (lacking if treatment == "breaching" else 0)
        return Verdict(ALARM if counted >= datapoints_to_alarm else OK, used, lacking)
    state: State | None = None
    if breaches >= datapoints_to_alarm:
        state = ALARM
    elif breaches < len(used):
        state = OK
    elif treatment == "missing":
        # All there is breaches and is too little: an alarm only once the oldest is M periods old.
        oldest_age = len(breaching) - used[-1] if used else 0
        state = ALARM if oldest_age >= datapoints_to_alarm else None if used else INSUFFICIENT_DATA
    return Verdict(state, used, lacking)
