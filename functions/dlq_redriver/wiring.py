"""The redriver, put together from its environment."""

from datetime import timedelta
from typing import Final

from dlq_redriver.calm import Calm
from dlq_redriver.redriver import Redriver, Rules
from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.config import ConfigurationError, Settings
from job_runtime.failures import FailureClass
from job_runtime.observe import observer

PASSING: Final = (FailureClass.TRANSIENT, FailureClass.EXHAUSTED, FailureClass.UNKNOWN)
"""Classes that a redrive may help. What was rejected or malformed fails again, and a halted group is
released by a person."""


def build(settings: Settings, clock: Clock) -> Redriver:
    """The redriver of one container.

    Reads JOB_NAME, QUEUE_URL, DLQ_URL, ALARM_NAMES (comma-separated), REDRIVE_CLASSES
    (`transient,exhausted`), MAX_REDRIVES (3), PAUSE_SECONDS (900), REDRIVE_LIMIT (1000), REDRIVE_RATE (50)
    and ON_QUARANTINE, which must not halt groups. Raises ConfigurationError naming the variable that is
    missing or wrong.
    """
    if settings.choice("ON_QUARANTINE", ("continue", "halt-group"), default="continue") != "continue":
        raise ConfigurationError(
            "ON_QUARANTINE must be continue: a group that is halted is released by a person"
        )
    alarms = _names(settings.required("ALARM_NAMES"))
    if not alarms:
        raise ConfigurationError("ALARM_NAMES must name an alarm; write those of the consumer")
    pause = timedelta(seconds=settings.integer("PAUSE_SECONDS", low=0, high=86_400, default=900))
    return Redriver(
        job=settings.required("JOB_NAME"),
        queue_url=settings.url("QUEUE_URL"),
        dead_letters_url=settings.url("DLQ_URL"),
        rules=Rules(
            classes=_classes(settings.optional("REDRIVE_CLASSES") or "transient,exhausted"),
            most_redrives=settings.integer("MAX_REDRIVES", low=1, high=20, default=3),
            pause=pause,
            limit=settings.integer("REDRIVE_LIMIT", low=1, high=1000, default=1000),
            rate=settings.integer("REDRIVE_RATE", low=1, high=1000, default=50),
        ),
        sqs=aws.sqs(),
        calm=Calm(aws.cloudwatch(), alarms, pause, clock),
        observer=observer(settings),
        clock=clock,
    )


def _classes(text: str) -> frozenset[str]:
    classes = frozenset(_names(text))
    if not classes or not classes <= set(PASSING):
        raise ConfigurationError(f"REDRIVE_CLASSES must be some of: {', '.join(PASSING)}")
    return classes


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
