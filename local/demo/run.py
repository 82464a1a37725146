"""The run itself, step by step, and the report it fills."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from local.demo import faults
from local.demo.audit import audit_charges, count_dead_letters
from local.demo.deployment import existing, managed, showing, terraform
from local.demo.directory import UNKNOWN_EMPLOYEES, seed, send_malformed
from local.demo.memory import Memory
from local.demo.month import Job, Run, follow
from local.demo.progress import Stage
from local.demo.report import Report
from local.demo.settings import Settings
from local.emulator import Emulator
from local.terraform import Terraform, terraform_version


def period_of(scheduled: datetime, zone: str) -> str:
    """Return the month before the local day of SCHEDULED in ZONE, as `YYYY-MM`: what the schedule bills."""
    local = scheduled.astimezone(ZoneInfo(zone))
    return f"{local.replace(day=1) - timedelta(days=1):%Y-%m}"


def run(settings: Settings, aws: Emulator, stage: Stage, folder: Path) -> Report:
    """Carry out one demo against a fresh emulator and return the report; `report.INVARIANTS` judge it.

    FOLDER takes Terraform's state. Raises TerraformError or MonthStoppedError if a step does not end well.
    """
    before = existing(aws)
    with terraform(aws, settings.provider, folder, {}) as root:
        with stage.phase("init", "Terraform init"):
            root.init()
        with stage.phase("apply", "Terraform apply (resources)") as phase:
            root.apply(showing(phase))
        resources = len(managed(root))
        report = _month(settings, aws, stage, root.output())
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
            report["terraform"]["left_after_destroy"] = _destroy(aws, stage, root, resources, before)
    report["kept"] = settings.keep
    report["seconds"] = dict(stage.seconds)
    return report


def _destroy(aws: Emulator, stage: Stage, root: Terraform, resources: int, before: set[str]) -> int:
    with stage.phase("destroy", "Terraform destroy (resources)", resources) as phase:
        root.destroy(showing(phase))
    left = sorted(existing(aws) - before)
    for line in left:
        stage.say(f"[red]left behind: {line}")
    return len(left) + len(managed(root))


def _month(settings: Settings, aws: Emulator, stage: Stage, outputs: dict[str, Any]) -> Report:
    charge = Job.of("charge", outputs)
    with stage.phase("seed", "Directory (rows)", settings.expected) as phase:
        seed(
            aws.client("dynamodb"),
            outputs["tables"]["directory"],
            settings.tenants,
            settings.employees,
            phase.advance,
        )
    malformed = send_malformed(aws.client("sqs"), charge.queue_url)
    memory = Memory()
    with stage.phase("month", "Month (messages)", settings.expected + UNKNOWN_EMPLOYEES) as phase:
        started = time.monotonic()
        if settings.faults:
            aws.set_faults(faults.plan(settings.expected))
        fired = aws.fire_schedule(charge.schedule, faults.SCHEDULE_FIRES)
        scheduled = datetime.fromisoformat(fired["scheduled_time"])
        period = period_of(scheduled, charge.timezone)
        follow(aws, Run(charge, period, faults.SCHEDULE_FIRES), phase, memory)
        seconds = time.monotonic() - started
        aws.set_faults({})
    with stage.phase("audit", "Audit"):
        audit = audit_charges(
            aws.client("dynamodb"), charge.table, period, settings.tenants, settings.employees
        )
        count_dead_letters(aws.peek(charge.dead_letter_queue), audit)
    state = aws.state()
    for denial in state["denials"]:
        stage.say(f"[red]denied: {denial['principal']} {denial['action']} on {denial['resource']}")
    done = state["faults"]["done"]
    deliveries = settings.expected + UNKNOWN_EMPLOYEES + malformed + done.get("redelivered", 0)
    memory.sample(state["processes"])
    return {
        "period": period,
        "scheduled_time": fired["scheduled_time"],
        **vars(audit),
        "dlq_expected": UNKNOWN_EMPLOYEES + malformed,
        "schedule_fires": state["fires"].get(charge.schedule, 0),
        "faults_injected": faults.injected(done),
        "iam_denied": sum(denial["count"] for denial in state["denials"]),
        "messages_per_second": round(deliveries / seconds),
        "memory_mib": memory.peak,
    }
