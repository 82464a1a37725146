"""The operator's policy, as monthly-job hands it out: enough for every command, and nothing in it is idle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from deploy.plan import PlanFiles
from deploy.terraform import Terraform
from job_runtime import aws as clients
from job_runtime.failures import RejectedError
from local.emulator import Emulator
from operations.maintenance.__main__ import main as maintenance
from tests.local.operations.bench import Bench, messages
from tests.local.operations.conftest import Dlq, become
from tests.terraform.conftest import attached_to

pytestmark = [pytest.mark.emulator, pytest.mark.terraform]

ROOT = Path(__file__).with_name("root")
POLICY_OF = "policy-of"
NAMESPACE = "FanoutOnce"
REJECTED, TRANSIENT = {"failure_class": "rejected"}, {"failure_class": "transient"}
NATIVE = {
    ("DeadLetterQueue", "sqs:CancelMessageMoveTask"),
    ("DeadLetterQueue", "sqs:ListMessageMoveTasks"),
    ("DeadLetterQueue", "sqs:StartMessageMoveTask"),
    ("Queue", "sqs:GetQueueAttributes"),
}
"""For `--native`, which the local AWS does not have."""

NEEDED = {
    ("FindQueues", "lambda:GetFunctionConfiguration"): "inspect",
    ("DeadLetterQueue", "sqs:GetQueueAttributes"): "inspect",
    ("DeadLetterQueue", "sqs:ReceiveMessage"): "inspect",
    ("DeadLetterQueue", "sqs:ChangeMessageVisibility"): "inspect",
    ("KnowEffectsAndHalts", "dynamodb:GetItem"): "show",
    ("Queue", "sqs:SendMessage"): "redrive",
    ("DeadLetterQueue", "sqs:DeleteMessage"): "redrive",
    ("DeadLetterQueue", "sqs:SendMessage"): "redrive",
    ("ListHalts", "dynamodb:Query"): "release",
    ("ReleaseAndWriteOff", "dynamodb:UpdateItem"): "release",
    ("ReleaseAndWriteOff", "dynamodb:DeleteItem"): "release",
    ("ReleaseAndWriteOff", "dynamodb:PutItem"): "purge",
    ("SeeWindows", "cloudwatch:DescribeAlarms"): "maintenance",
    ("SeeWindows", "cloudwatch:GetMetricData"): "maintenance",
    ("DeclareWindows", "cloudwatch:PutMetricData"): "maintenance",
    ("TurnMaintenanceOnAndOff", "cloudwatch:SetAlarmState"): "maintenance",
}
"""Each action with a command that cannot do without it."""


@pytest.fixture(scope="module")
def policy(aws: Emulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The planned policy, of a job named POLICY_OF."""
    folder = tmp_path_factory.mktemp("plan")
    with attached_to(aws) as environment:
        variables = {"endpoint": aws.endpoint, "name": POLICY_OF}
        root = Terraform(ROOT, environment, variables, data_dir=folder / "data", state=folder / "state")
        root.init()
        plan = PlanFiles.of(folder, "plan").make(root)
    document: dict[str, Any] = json.loads(plan["planned_values"]["outputs"]["operator_policy_json"]["value"])
    return document


def actions(policy: dict[str, Any]) -> set[tuple[str, str]]:
    """Each action with the statement that grants it."""
    return {
        (statement["Sid"], action)
        for statement in policy["Statement"]
        for action in ([statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"])
    }


Operate = Callable[[Bench, dict[str, Any]], None]


@pytest.fixture
def operate(aws: Emulator, monkeypatch: pytest.MonkeyPatch) -> Operate:
    """From now on the command runs as a user who has the policy, of the bench's job, and nothing else."""

    def operator(bench: Bench, policy: dict[str, Any]) -> None:
        iam, name = aws.client("iam"), f"operator-{bench.name}"
        iam.create_user(UserName=name)
        document = json.dumps(policy).replace(POLICY_OF, bench.name)
        iam.put_user_policy(UserName=name, PolicyName="operate", PolicyDocument=document)
        key = iam.create_access_key(UserName=name)["AccessKey"]
        become(
            monkeypatch,
            {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]},
        )

    return operator


def prepared(make: Callable[..., Bench], command: str) -> Bench:
    """A job in which the command has something to do."""
    bench = make(halts=command == "release")
    if command == "maintenance":
        bench.aws.client("cloudwatch").put_metric_alarm(
            AlarmName=f"{bench.name}-maintenance",
            Namespace=NAMESPACE,
            MetricName="Maintenance",
            Dimensions=[{"Name": "service", "Value": bench.name}],
            Statistic="Sum",
            Period=60,
            EvaluationPeriods=1,
            Threshold=1,
            ComparisonOperator="GreaterThanOrEqualToThreshold",
        )
    elif command == "release":
        bench.failing = lambda message: RejectedError("rule") if message.employee_id == "e00000" else None
        bench.send(*messages("t1", range(1)))
        bench.consume()
        bench.failing = lambda _message: None
    else:
        letters = [(message, REJECTED) for message in messages("t1", range(10))]
        bench.bury([*letters, *((message, TRANSIENT) for message in messages("t1", range(10, 11)))])
    return bench


def arguments(bench: Bench, command: str, folder: Path) -> list[str]:
    """The command, with what it needs."""
    more = {
        "inspect": [],
        "show": [messages("t1", range(1))[0].idempotency_key],
        "redrive": ["--class", "transient"],
        "release": ["--all", "--patience", "10"],
        "purge": ["--class", "rejected", "--reason", "r", "--confirm", f"{bench.name}-dlq.fifo"],
    }
    archive = ["--archive", str(folder / "archive")] if command == "purge" else []
    return [command, *more[command], *archive]


Run = Callable[[Bench, str], tuple[int, Any]]


@pytest.fixture
def run(dlq: Dlq, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run(bench, command)`: the exit status, and what it printed."""

    def run_one(bench: Bench, command: str) -> tuple[int, Any]:
        if command != "maintenance":
            return dlq(bench, *arguments(bench, command, tmp_path))
        head = ["--env", "local", "--job", "charge", "--alarm", f"{bench.name}-maintenance"]
        status = maintenance([*head, "--minutes", "5", "--reason", "test", "--json"])
        return status, capsys.readouterr()

    return run_one


@pytest.fixture
def consuming(monkeypatch: pytest.MonkeyPatch) -> Callable[[Bench], None]:
    """Let the consumer run whenever the operator waits."""
    return lambda bench: monkeypatch.setattr(
        "job_runtime.clock.SystemClock.sleep", lambda _self, _seconds: bench.consume()
    )


def test_every_action_is_accounted_for(policy: dict[str, Any]) -> None:
    assert actions(policy) == NEEDED.keys() | NATIVE


@pytest.mark.parametrize("command", sorted({*NEEDED.values()}))
def test_the_policy_is_enough(
    make: Callable[..., Bench],
    run: Run,
    policy: dict[str, Any],
    operate: Operate,
    consuming: Callable[[Bench], None],
    command: str,
) -> None:
    bench = prepared(make, command)
    consuming(bench)
    operate(bench, policy)
    status, found = run(bench, command)
    assert status == 0, found


@pytest.mark.parametrize(("sid", "action"), NEEDED, ids=lambda part: part)
def test_without_an_action_its_command_is_refused(
    make: Callable[..., Bench],
    run: Run,
    policy: dict[str, Any],
    operate: Operate,
    consuming: Callable[[Bench], None],
    sid: str,
    action: str,
) -> None:
    bench = prepared(make, NEEDED[sid, action])
    consuming(bench)
    operate(bench, _without(policy, sid, action))
    status, found = run(bench, NEEDED[sid, action])
    assert status == 3, found
    assert any(
        denial["action"] == action and denial["principal"].endswith(f"user/operator-{bench.name}")
        for denial in bench.aws.state()["denials"]
    )


def test_an_operator_declares_maintenance_and_touches_no_other_metric_or_alarm(
    make: Callable[..., Bench], policy: dict[str, Any], operate: Operate
) -> None:
    bench = prepared(make, "maintenance")
    operate(bench, policy)
    point: Any = {"MetricName": "Errors", "Value": 1.0}
    with pytest.raises(ClientError, match="AccessDenied"):
        clients.cloudwatch().put_metric_data(Namespace="Payroll", MetricData=[point])
    with pytest.raises(ClientError, match="AccessDenied"):
        clients.cloudwatch().set_alarm_state(
            AlarmName=f"{bench.name}-dlq-visible", StateValue="OK", StateReason="hidden"
        )


@pytest.mark.parametrize("pk", ["t1", "run#charge", "written-off#co2"])
def test_an_operator_changes_no_row_but_halts_and_write_offs(
    make: Callable[..., Bench], policy: dict[str, Any], operate: Operate, pk: str
) -> None:
    bench = make()
    operate(bench, policy)
    row: Any = {"pk": {"S": pk}, "sk": {"S": "charge#2026-11#e1"}}
    changes: dict[str, dict[str, Any]] = {
        "put_item": {"Item": row},
        "delete_item": {"Key": row},
        "update_item": {"Key": row, "UpdateExpression": "REMOVE amount"},
    }
    for operation, request in changes.items():
        with pytest.raises(ClientError, match="AccessDenied"):
            getattr(clients.dynamodb(), operation)(TableName=bench.table, **request)


def _without(policy: dict[str, Any], sid: str, action: str) -> dict[str, Any]:
    statements = []
    for statement in policy["Statement"]:
        granted = [statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"]
        left = [name for name in granted if (statement["Sid"], name) != (sid, action)]
        if left:
            statements.append({**statement, "Action": left})
    return {**policy, "Statement": statements}
