"""alarm-pack beyond a plan of its own: README, dashboard, and what becomes of composites on the way."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.terraform.alarm_table import README, rewritten
from tests.terraform.conftest import DIST
from tests.terraform.modules import MODULES
from tests.terraform.plans import Plan

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]
Arguments = dict[str, Any]

ALARM, COMPOSITE = "aws_cloudwatch_metric_alarm", "aws_cloudwatch_composite_alarm"
DASHBOARD_WIDTH = 24
MEMBERS_A_WIDGET = 100
ARGUMENTS: Arguments = {
    "source": "./modules/alarm-pack",
    "name": "pack-charge",
    "service": "charge",
    "runbook_url": "https://git.example.com/runbook.md",
    "topics": {
        severity: f"arn:aws:sns:ap-northeast-1:111122223333:pack-{severity}"
        for severity in ("critical", "warning", "info")
    },
    "functions": {"consumer": {"function_name": "pack-charge-consumer", "timeout_seconds": 60}},
    "schedules": {"main": {"schedule_group_name": "pack-charge"}},
    "jobs": {"main": {"name": "charge", "metrics_namespace": "FanoutOnce", "done_metric": "Charged"}},
}


@pytest.fixture
def pack(aws: Emulator, attached: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Terraform]]:
    """`pack(**arguments)`: a root that calls the module with them beside ARGUMENTS; destroyed at the end."""
    shutil.copytree(MODULES, tmp_path / "modules")
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (tmp_path / "provider.tf").write_text(provider, encoding="utf-8")
    root = Terraform(
        tmp_path, attached, data_dir=tmp_path / "terraform", state=tmp_path / "terraform.tfstate"
    )

    def write(**arguments: Any) -> Terraform:
        call = {"module": {"alarms": ARGUMENTS | arguments}}
        (tmp_path / "main.tf.json").write_text(json.dumps(call), encoding="utf-8")
        return root

    write()
    root.init()
    yield write
    root.destroy()


def _rule(aws: Emulator, name: str) -> str:
    found = aws.client("cloudwatch").describe_alarms(AlarmNames=[name], AlarmTypes=["CompositeAlarm"])
    return str(found["CompositeAlarms"][0]["AlarmRule"])


def _names(aws: Emulator) -> set[str]:
    pages = (
        aws.client("cloudwatch")
        .get_paginator("describe_alarms")
        .paginate(AlarmNamePrefix="pack-charge", AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    )
    return {
        alarm["AlarmName"] for page in pages for alarm in [*page["MetricAlarms"], *page["CompositeAlarms"]]
    }


def test_member_of_a_composite_is_turned_off_renamed_and_destroyed(
    pack: Callable[..., Terraform], aws: Emulator
) -> None:
    """CloudWatch deletes no alarm that a composite still names, so the composite has to let go before."""
    pack().apply()
    member = "pack-charge-main-schedule-dropped"
    assert member in _rule(aws, "pack-charge-broken")
    with pytest.raises(ClientError, match="composite alarm"):
        aws.client("cloudwatch").delete_alarms(AlarmNames=[member])

    pack(settings={"alarms": {"schedule-dropped": {"enabled": False}}}).apply()
    assert member not in _rule(aws, "pack-charge-broken")
    assert member not in _names(aws)

    # Both composites, and the alarm that keeps them quiet, go with their last members.
    quiet = {"all": {"severity": "info"}}
    pack(settings=quiet).apply()
    assert not _names(aws) & {"pack-charge-broken", "pack-charge-slow", "pack-charge-maintenance"}

    pack().apply()
    pack(name="pack-charges").apply()
    assert {name for name in _names(aws) if not name.startswith("pack-charges-")} == set()
    assert "pack-charges-main-schedule-dropped" in _rule(aws, "pack-charges-broken")

    pack(name="pack-charges").destroy()
    assert _names(aws) == set()


def test_plan_of_what_was_applied_is_empty(pack: Callable[..., Terraform], tmp_path: Path) -> None:
    pack().apply()

    assert Plan.of(pack(), tmp_path).changes() == set()


@pytest.fixture(scope="module")
def planned(aws: Emulator, attached: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """The full example, as planned."""
    folder = tmp_path_factory.mktemp("dashboard")
    shutil.copytree(MODULES, folder / "modules")
    example = folder / "modules" / "alarm-pack" / "examples" / "full"
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (example / "provider.tf").write_text(provider, encoding="utf-8")
    root = Terraform(
        example,
        attached,
        {"dist": str(DIST)},
        data_dir=folder / "terraform",
        state=folder / "terraform.tfstate",
    )
    root.init()
    return Plan.of(root, folder)


@pytest.fixture(scope="module")
def dashboard(planned: Plan) -> dict[str, Any]:
    """Its dashboard."""
    (resource,) = planned.resources("aws_cloudwatch_dashboard").values()
    body: dict[str, Any] = json.loads(resource["dashboard_body"])
    return body


def test_dashboard_fills_its_rows_without_overlap(dashboard: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    for widget in dashboard["widgets"]:
        cells = {
            (x, y)
            for x in range(widget["x"], widget["x"] + widget["width"])
            for y in range(widget["y"], widget["y"] + widget["height"])
        }
        assert not cells & taken, widget["properties"]
        taken |= cells
    bottom = max(y for _, y in taken) + 1

    assert taken == {(x, y) for x in range(DASHBOARD_WIDTH) for y in range(bottom)}


def test_dashboard_shows_run_queue_functions_tables_and_schedules(dashboard: dict[str, Any]) -> None:
    shown = {
        (metric[0], metric[1])
        for widget in dashboard["widgets"]
        for metric in widget["properties"].get("metrics", [])
        if isinstance(metric[0], str)
    }

    assert shown >= {
        *(("FanoutOnce", name) for name in ("Dispatched", "Charged", "Quarantined", "RunMissingItems")),
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible"),
        ("AWS/SQS", "ApproximateNumberOfMessagesNotVisible"),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage"),
        *(
            ("AWS/Lambda", name)
            for name in ("Invocations", "Errors", "Throttles", "Duration", "ConcurrentExecutions")
        ),
        ("AWS/DynamoDB", "ThrottledRequests"),
        ("AWS/Scheduler", "InvocationDroppedCount"),
    }


def test_every_metric_widget_has_title_region_period_and_distinct_labels(dashboard: dict[str, Any]) -> None:
    for widget in dashboard["widgets"]:
        told = widget["properties"]
        if widget["type"] != "metric":
            continue
        assert told["title"]
        assert told["region"] == "ap-northeast-1"
        assert told["period"] % 60 == 0
        labels = [metric[-1]["label"] for metric in told["metrics"] if metric[-1].get("visible", True)]
        assert len(set(labels)) == len(labels), told["title"]


def test_dashboard_s_expressions_name_metrics_of_their_widget(dashboard: dict[str, Any]) -> None:
    """CloudWatch shows an error in place of a widget whose expression names an id that is not there."""
    for widget in dashboard["widgets"]:
        options = [metric[-1] for metric in widget["properties"].get("metrics", [])]
        ids = {option["id"] for option in options if "id" in option}
        for option in options:
            named = set(_ids(option.get("expression", "")))
            assert named <= ids, option
        assert len(ids) == len([option for option in options if "id" in option])


def _ids(expression: str) -> Iterator[str]:
    for word in expression.replace("(", " ").replace(")", " ").replace(",", " ").split():
        if word[0].islower():
            yield word


def test_dashboard_draws_where_its_alarms_ring(dashboard: dict[str, Any]) -> None:
    drawn = {
        line["label"]: line["value"]
        for widget in dashboard["widgets"]
        for line in widget["properties"].get("annotations", {}).get("horizontal", [])
    }

    # The example sets the first to a tenth of four days, the second to 90 %.
    assert drawn == {
        "queue-oldest-message-age": 34560,
        "function-duration": 90,
        "dlq-visible": 1,
    }


def test_dashboard_shows_every_alarm_composites_first(planned: Plan, dashboard: dict[str, Any]) -> None:
    widgets = [widget["properties"]["alarms"] for widget in dashboard["widgets"] if widget["type"] == "alarm"]
    shown = [arn.rpartition(":")[2] for alarms in widgets for arn in alarms]
    made = {alarm["alarm_name"] for kind in (ALARM, COMPOSITE) for alarm in planned.resources(kind).values()}

    assert all(len(alarms) <= MEMBERS_A_WIDGET for alarms in widgets)
    assert shown[:2] == ["prod-charge-broken", "prod-charge-slow"]
    assert sorted(shown) == sorted(made - {"prod-charge-maintenance"})


def test_readme_lists_the_catalogue() -> None:
    readme = README.read_text(encoding="utf-8")

    assert readme == rewritten(readme), "run: python -m tests.terraform.alarm_table"
