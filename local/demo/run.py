"""The run itself, step by step, and the report it fills."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from deploy.terraform import Terraform, terraform_version
from local.demo import faults, payments
from local.demo.audit import audit_charges, audit_co2
from local.demo.dead_letters import by_class, out_of_order
from local.demo.deployment import existing, managed, showing, terraform
from local.demo.directory import UNKNOWN_EMPLOYEES, UNKNOWN_TENANT, seed, send_malformed
from local.demo.memory import Memory
from local.demo.month import Job, Run, follow
from local.demo.on_call import OnCall, give_token, take_token
from local.demo.progress import Stage
from local.demo.redrive import prove
from local.demo.report import Report
from local.demo.settings import Settings
from local.emulator import Emulator
from local.payment_stub import PaymentStub
from local.slack_stub import SlackStub


def period_of(scheduled: datetime, zone: str) -> str:
    """Return the month before the local day of SCHEDULED in ZONE, as `YYYY-MM`: what the schedule bills."""
    return month_before(f"{scheduled.astimezone(ZoneInfo(zone)):%Y-%m}")


def month_before(period: str) -> str:
    """Return the month before PERIOD (`YYYY-MM`)."""
    return f"{date.fromisoformat(f'{period}-01') - timedelta(days=1):%Y-%m}"


def run(settings: Settings, aws: Emulator, stage: Stage, folder: Path) -> Report:
    """Carry out one demo against a fresh emulator and return the report; `report.INVARIANTS` judge it.

    FOLDER takes what Terraform needs. Raises TerraformError or MonthStoppedError if a step does not end well.
    """
    with (
        PaymentStub(faults=payments.FAULTS if settings.faults else None) as api,
        SlackStub() as slack,
        terraform(aws, settings.provider, folder, _variables(api, slack)) as root,
    ):
        before = existing(aws)
        give_token(aws, slack)
        with stage.phase("init", "Terraform init"):
            root.init()
        with stage.phase("apply", "Terraform apply (resources)") as phase:
            root.apply(showing(phase))
        resources = len(managed(root))
        report = Month(settings, aws, stage, Outside(api, slack), root.output()).report(folder)
        with stage.phase("second_plan", "Second plan"):
            changes = root.plan()
        report["terraform"] = {
            "version": terraform_version(),
            "provider": settings.provider,
            "resources": resources,
            "second_plan_changes": sum(
                changes.get(kind, 0) for kind in ("add", "change", "remove", "import")
            ),
            "left_after_destroy": None,
        }
        if not settings.keep:
            take_token(aws)
            report["terraform"]["left_after_destroy"] = _destroy(aws, stage, root, resources, before)
    report["kept"] = settings.keep
    report["seconds"] = dict(stage.seconds)
    return report


def _variables(api: PaymentStub, slack: SlackStub) -> dict[str, str]:
    return {"payment_endpoint": api.endpoint, "slack_endpoint": slack.api}


def _destroy(aws: Emulator, stage: Stage, root: Terraform, resources: int, before: set[str]) -> int:
    with stage.phase("destroy", "Terraform destroy (resources)", resources) as phase:
        root.destroy(showing(phase), "-refresh=false")  # the second plan has just looked
    left = sorted(existing(aws) - before)
    for line in left:
        stage.say(f"[red]left behind: {line}")
    return len(left) + len(managed(root))


@dataclass(frozen=True)
class Outside:
    """What is not AWS: where charges are captured, and where alarms are told."""

    payments: PaymentStub
    slack: SlackStub


class Month:
    """One month of both jobs on what was deployed."""

    def __init__(
        self,
        settings: Settings,
        aws: Emulator,
        stage: Stage,
        outside: Outside,
        outputs: dict[str, Any],
    ) -> None:
        """OUTPUTS: those of `envs/local`."""
        self._settings = settings
        self._aws = aws
        self._stage = stage
        self._outside = outside
        self._outputs = outputs
        self._directory = outputs["tables"]["directory"]
        self._charge = Job.of("charge", outputs)
        self._co2 = Job.of("co2", outputs)
        self._memory = Memory()

    def report(self, folder: Path) -> Report:
        """Seed, fire, follow, audit and answer the alarms; the report without the figures of Terraform.

        FOLDER takes what is purged.
        """
        messages = self._settings.expected + UNKNOWN_EMPLOYEES
        with self._stage.phase("seed", "Directory (rows)", messages) as phase:
            sizes = (self._settings.tenants, self._settings.employees)
            seed(self._aws.client("dynamodb"), self._directory, *sizes, phase.advance)
        malformed = send_malformed(self._aws.client("sqs"), self._charge.queue_url)
        with self._stage.phase("month", "Month (messages of both jobs)", 2 * messages) as phase:
            started = time.monotonic()
            fired = self._fire()
            period = period_of(datetime.fromisoformat(fired["scheduled_time"]), self._charge.timezone)
            runs = [Run(self._charge, period, faults.SCHEDULE_FIRES), Run(self._co2, period, 1)]
            follow(self._aws, runs, phase, self._memory)
            seconds = time.monotonic() - started
            self._aws.set_faults({})
        found = self._audit(period)
        jobs = [self._charge, self._co2]
        on_call = OnCall(self._aws, self._outside.slack, self._outputs, jobs, folder)
        with self._stage.phase("slack", "Slack"):
            seconds_to_slack = on_call.seconds_to_slack()
        found["redrive"] = None
        if self._settings.redrive:
            with self._stage.phase("redrive", "Redrive (steps)", 5) as phase:
                # Of another month: nobody entered these employees, and the audit of this one would tell.
                found["redrive"] = prove(self._aws, self._outputs, month_before(period), phase)
        with self._stage.phase("alarms", "Alarms (steps)", OnCall.STEPS) as phase:
            found["alarms"] = {**on_call.answer(period, phase), "seconds_to_slack": seconds_to_slack}
        state = self._aws.state()
        self._memory.sample(state["processes"])
        for denial in state["denials"]:
            self._stage.say(f"[red]denied: {denial['principal']} {denial['action']} on {denial['resource']}")
        done = state["faults"]["done"]
        return {
            "period": period,
            "scheduled_time": fired["scheduled_time"],
            **found,
            "dlq_expected": UNKNOWN_EMPLOYEES + malformed,
            "schedule_fires": state["fires"].get(self._charge.schedule, 0),
            "faults_injected": faults.injected(done),
            "iam_denied": sum(denial["count"] for denial in state["denials"]),
            "messages_per_second": round((2 * messages + malformed + done.get("redelivered", 0)) / seconds),
            "memory_mib": self._memory.peak,
        }

    def _fire(self) -> dict[str, Any]:
        """Move the clock to the schedules' time: both jobs' fire, that of the charges more than once."""
        if self._settings.faults:
            self._aws.set_faults(faults.plan(self._settings.expected))
        return self._aws.fire_schedule(self._charge.schedule, faults.SCHEDULE_FIRES)

    def _audit(self, period: str) -> Report:
        """Compare both ledgers, the payment API and the dead-letter queues with the directory."""
        sizes = (self._settings.tenants, self._settings.employees)
        with self._stage.phase("audit", "Audit"):
            client = self._aws.client("dynamodb")
            charges = audit_charges(client, self._charge.table, period, *sizes)
            co2 = audit_co2(client, self._co2.table, period, *sizes)
            dead_letters = self._aws.peek(self._charge.dead_letter_queue)
            halted = self._aws.peek(self._co2.dead_letter_queue)
        return {
            **vars(charges),
            "quarantined": by_class(dead_letters),
            "dlq_messages": len(dead_letters),
            "payments": payments.report(self._outside.payments, charges.captures_expected),
            "co2": vars(co2),
            "halted_group": {
                "expected": UNKNOWN_EMPLOYEES,
                "messages": len(halted),
                "out_of_order": out_of_order(halted, UNKNOWN_TENANT),
                "quarantined": by_class(halted),
            },
        }
