"""The month as the people on call see it: alarms in Slack, what they do about it, and quiet again."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from local.demo.month import Job, MonthStoppedError, depth, run_row
from local.demo.operator import operate
from local.demo.progress import Phase
from local.demo.waiting import wait_for
from local.emulator import Emulator
from local.limits import HANG_SECONDS
from local.slack_stub import Message, SlackStub

PARAMETER = "/fanout-local/slack"
"""Where `envs/local` says that Slack's token is."""
STEP = timedelta(minutes=40)
"""By which CloudWatch's clock is moved: less than a message on its way to Slack may wait."""
REASON = "not a tenant of ours, or no message at all"

_LOOK_SECONDS = 0.2
_TOLD_SECONDS = 8.0
"""How long Slack may take to hear of the end: error lines count as stopped after five seconds."""


def give_token(aws: Emulator, slack: SlackStub) -> None:
    """Put Slack's token where the notifier looks for it; no Terraform ever sees it."""
    token = json.dumps({"token": slack.token})
    aws.client("ssm").put_parameter(Name=PARAMETER, Type="SecureString", Value=token, Overwrite=True)


def take_token(aws: Emulator) -> None:
    """Take the token away again."""
    aws.client("ssm").delete_parameter(Name=PARAMETER)


class OnCall:
    """What is done when a job's dead letters have raised an alarm. A phase counts its STEPS."""

    STEPS = 4

    def __init__(
        self, aws: Emulator, slack: SlackStub, outputs: Mapping[str, Any], jobs: Sequence[Job], folder: Path
    ) -> None:
        """OUTPUTS: those of `envs/local`; FOLDER takes what is purged, and what was said in Slack."""
        self._aws = aws
        self._slack = slack
        self._jobs = jobs
        self._notifier_queue = str(outputs["alerts"]["notifier"]["queue"]["url"])
        self._folder = folder

    def answer(self, period: str, phase: Phase) -> dict[str, Any]:
        """Audit, purge, audit again, and let CloudWatch see that it is over.

        Return the figures of the report's `alarms`. Raises MonthStoppedError if a step does not come to its
        end.
        """
        try:
            self._answer(period, phase)
        finally:
            told = "\n\n".join(f"{'  ' if m.thread_ts else ''}{m.text}" for m in self._slack.messages)
            (self._folder / "slack.txt").write_text(told + "\n", encoding="utf-8")
        return self._figures()

    def _answer(self, period: str, phase: Phase) -> None:
        self._aws.fire_schedule(self._jobs[0].audit_schedule)
        for job in self._jobs:
            self._await_verdict(job, period, "incomplete")
            alarm = job.alarms["job-run-incomplete/main"]
            wait_for(partial(self._fired, alarm), alarm)
        phase.reach(1)
        for job in self._jobs:
            self._purge(job)
        phase.reach(2)
        for job in self._jobs:
            self._audit_again(job, period)
        phase.reach(3)
        self._calm_down()
        phase.reach(4)

    def seconds_to_slack(self) -> dict[str, float]:
        """Wait until Slack tells of each job; how long that took. Raises MonthStoppedError if it does not."""
        return {job.name: self._seconds_to_slack(job) for job in self._jobs}

    def _seconds_to_slack(self, job: Job) -> float:
        """Seconds from the job's first dead letter to the message that says that the job is broken."""
        first = min(float(letter["sent_at"]) for letter in self._aws.peek(job.dead_letter_queue))
        wait_for(lambda: bool(self._told(job)), f"a message in Slack about {job.name}")
        return round(min(self._told(job)) - first, 1)

    def _told(self, job: Job) -> list[float]:
        said = [message.first_said(f"{job.name} is broken") for message in self._slack.incidents()]
        return [instant for instant in said if instant is not None]

    def _fired(self, alarm: str) -> bool:
        return any(change["new"] == "ALARM" for change in self._aws.alarm_history(alarm))

    def _purge(self, job: Job) -> None:
        archive = self._folder / f"purged-{job.name}.jsonl"
        which = ["--all", "--archive", str(archive), "--reason", REASON, "--confirm", job.dead_letter_queue]
        operate(self._aws, job, "purge", *which)
        if left := len(self._aws.peek(job.dead_letter_queue)):
            raise MonthStoppedError(f"{left} dead letters of {job.name} are left after the purge of all")
        consumer = self._aws.client("lambda").get_function_configuration(FunctionName=job.consumer)
        if consumer["Environment"]["Variables"]["ON_QUARANTINE"] == "halt-group":
            operate(self._aws, job, "release", "--all")

    def _audit_again(self, job: Job, period: str) -> None:
        event = json.dumps({"job": job.name, "period": period})
        self._aws.client("lambda").invoke(FunctionName=job.auditor, Payload=event)
        self._await_verdict(job, period, "verified")

    def _await_verdict(self, job: Job, period: str, wanted: str) -> None:
        def reached() -> bool:
            return bool(run_row(self._aws, job, period).get("state", {}).get("S") == wanted)

        wait_for(reached, f"the verdict `{wanted}` on {job.name}")

    def _calm_down(self) -> None:
        """Let CloudWatch's time pass until no alarm is on, and Slack knows.

        More than once, since the telling itself may raise one, such as that the notifier is slow.
        """
        deadline = time.monotonic() + HANG_SECONDS
        while time.monotonic() < deadline:
            self._aws.advance_alarms(STEP.total_seconds())
            told_by = time.monotonic() + _TOLD_SECONDS
            while time.monotonic() < told_by:
                on = self._on()
                if not on and not self._open():
                    return
                if on and not depth(self._aws, self._notifier_queue):
                    break  # told as far as there is to tell: more time has to pass
                time.sleep(_LOOK_SECONDS)
        left = [*self._on(), *(message.text.splitlines()[0] for message in self._open())]
        raise MonthStoppedError(f"not quiet after {HANG_SECONDS:.0f} s: {'; '.join(left)}")

    def _on(self) -> list[str]:
        states = {change["alarm"]: change["new"] for change in self._aws.alarm_history()}
        return [alarm for alarm, state in states.items() if state == "ALARM"]

    def _open(self) -> list[Message]:
        return [message for message in self._slack.incidents() if "· over:" not in message.text]

    def _figures(self) -> dict[str, Any]:
        cloudwatch = self._aws.client("cloudwatch")
        kinds = ("MetricAlarms", "CompositeAlarms")
        defined = 0
        for page in cloudwatch.get_paginator("describe_alarms").paginate(
            AlarmTypes=["MetricAlarm", "CompositeAlarm"]
        ):
            defined += sum(len(page[kind]) for kind in kinds)
        fired = {change["alarm"] for change in self._aws.alarm_history() if change["new"] == "ALARM"}
        told = self._slack.incidents()
        return {
            "defined": defined,
            "fired": len(fired),
            "recovered": len(fired.difference(self._on())),
            "notifications": len(told),
            "incidents": len({message.payload["metadata"]["event_payload"]["incident"] for message in told}),
            "updates": sum(len(message.versions) for message in told),
            "dropped": sum(bool(message["dropped"]) for message in self._aws.alarm_messages()),
            "names": sorted(fired),
        }
