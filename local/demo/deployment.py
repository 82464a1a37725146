"""`envs/local` applied by real Terraform, with the stand-in provider or the genuine one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from deploy.offline import placed
from deploy.terraform import Terraform, stand_in
from local.demo.progress import Phase
from local.emulator import Emulator

REPOSITORY = Path(__file__).resolve().parents[2]
ROOT = REPOSITORY / "envs" / "local"
BUCKET = "tfstate-fanout-local"
# As in production, state is in S3, under a lock; a state file would be written anew at each of its resources.
_BACKEND = """
terraform {{
  backend "s3" {{
    bucket       = "{bucket}"
    key          = "local/terraform.tfstate"
    region       = "ap-northeast-1"
    use_lockfile = true

    endpoints                   = {{ s3 = "{endpoint}" }}
    use_path_style              = true
    skip_credentials_validation = true
    skip_metadata_api_check     = true
    skip_requesting_account_id  = true
  }}
}}
"""


@contextmanager
def terraform(
    aws: Emulator, provider: str, folder: Path, variables: Mapping[str, Any]
) -> Iterator[Terraform]:
    """Yield Terraform for `envs/local` against AWS; a copy of the root and plug-ins live below FOLDER.

    PROVIDER is `stand-in` or `registry`: the same files, the same endpoints.
    """
    values = {"endpoint": aws.endpoint, "dist": str(REPOSITORY / "dist"), **variables}
    # The emulator's address reaches the provider as a variable, not through the environment.
    credentials = {k: v for k, v in aws.credentials_env().items() if k != "AWS_ENDPOINT_URL"}
    aws.client("s3").create_bucket(
        Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"}
    )
    root = placed(ROOT, folder, REPOSITORY / "dist")
    backend = _BACKEND.format(bucket=BUCKET, endpoint=aws.endpoint)
    (root / "state_override.tf").write_text(backend, encoding="utf-8")
    with stand_in(credentials) if provider == "stand-in" else nullcontext({"TF_IN_AUTOMATION": "1"}) as added:
        yield Terraform(root, {**credentials, **added}, values, data_dir=folder / "terraform")


def managed(root: Terraform) -> list[str]:
    """Return the addresses in the state that Terraform created: no data sources."""
    return [
        address
        for address in root.resources()
        if not re.sub(r"^(module\.[^.]+\.)*", "", address).startswith("data.")
    ]


def showing(phase: Phase) -> Any:
    """Return a receiver of Terraform's events that counts finished resources in PHASE."""

    def receive(event: Mapping[str, Any]) -> None:
        match event.get("type"):
            case "change_summary" if event["changes"].get("operation") == "plan":
                changes = event["changes"]
                phase.reach(phase.done, changes["add"] + changes["change"] + changes["remove"])
            case "apply_complete" if event["hook"]["action"] != "read":
                phase.advance()

    return receive


_LISTS: tuple[tuple[str, str, str], ...] = (
    ("sqs", "list_queues", "QueueUrls"),
    ("lambda", "list_functions", "Functions"),
    ("lambda", "list_event_source_mappings", "EventSourceMappings"),
    ("iam", "list_roles", "Roles"),
    ("logs", "describe_log_groups", "logGroups"),
    ("dynamodb", "list_tables", "TableNames"),
    ("scheduler", "list_schedules", "Schedules"),
    ("scheduler", "list_schedule_groups", "ScheduleGroups"),
    ("sns", "list_topics", "Topics"),
    ("sns", "list_subscriptions", "Subscriptions"),
    ("s3", "list_buckets", "Buckets"),
    ("ssm", "describe_parameters", "Parameters"),
    ("cloudwatch", "describe_alarms", "MetricAlarms"),
    ("cloudwatch", "describe_alarms", "CompositeAlarms"),
    ("cloudwatch", "list_dashboards", "DashboardEntries"),
)
_NAMES = ("FunctionArn", "Arn", "arn", "SubscriptionArn", "TopicArn", "AlarmArn", "DashboardArn", "Name")


def existing(aws: Emulator) -> set[str]:
    """Return a line for everything in the emulator's account that a destroy should have taken away."""
    found = set()
    for service, operation, key in _LISTS:
        client = aws.client(service)
        asked = {"AlarmTypes": ["MetricAlarm", "CompositeAlarm"]} if operation == "describe_alarms" else {}
        pages = (
            client.get_paginator(operation).paginate(**asked)
            if client.can_paginate(operation)
            else [getattr(client, operation)(**asked)]
        )
        for page in pages:
            for item in page.get(key, []):
                name = item if isinstance(item, str) else next(str(item[n]) for n in _NAMES if n in item)
                found.add(f"{service} {operation} {name}")
    return found
