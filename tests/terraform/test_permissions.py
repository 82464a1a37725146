"""Every permission of a function is used: each one is taken away in turn, and the job must miss it.

The local environment runs for real: the zips that `make package` writes, on the local AWS with IAM enforced.
A small month takes every path on which something is called: a second firing, a hand-over after each page, a
message that is no message, a transaction that is cancelled until its message is handed back.
Everything is under a customer key. What a condition leaves out is tried with the role's own keys.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from deploy.offline import placed
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.support.local_aws import refused
from tests.support.roles import denied, elsewhere, eventually, taken, without
from tests.terraform.conftest import attached_to
from tests.terraform.modules import REPOSITORY
from tests.terraform.plans import listed

pytestmark = [pytest.mark.terraform, pytest.mark.emulator, pytest.mark.end_to_end]

JOB = "fanout-local-charge"
SCHEDULE = f"{JOB}/dispatch"
DIRECTORY, JOBS = "fanout-local-directory", "fanout-local-jobs"
MONTHS_AT_MOST = 3  # a machine under load may let a function run into its timeout
OWN_OUTPUT = [
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
]
OF_THE_KEY = ["kms:Decrypt", "kms:GenerateDataKey"]
PERMISSIONS = {
    "schedule": ["lambda:InvokeFunction", "kms:Decrypt"],
    "dispatcher": [
        *OF_THE_KEY,
        "dynamodb:Scan",
        "dynamodb:UpdateItem",
        "lambda:InvokeFunction",
        "sqs:SendMessage",
        *OWN_OUTPUT,
    ],
    "auditor": [
        *OF_THE_KEY,
        "dynamodb:Scan",
        "dynamodb:GetItem",
        "dynamodb:Query",
        "dynamodb:UpdateItem",
        "sqs:SendMessage",
        *OWN_OUTPUT,
    ],
    "consumer": [
        *OF_THE_KEY,
        "dynamodb:PutItem",
        "dynamodb:UpdateItem",
        "dynamodb:GetItem",
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
        "sqs:ChangeMessageVisibility",
        "sqs:SendMessage",
        *OWN_OUTPUT,
    ],
}
# Used when all else has failed, not in a month that runs.
FAILURE_QUEUES = {
    "schedule": f"{JOB}-schedule-failures",
    "dispatcher": f"{JOB}-dispatch-failures",
}


@dataclass
class Deployment:
    """The local environment, applied, with a directory of one tenant who is new to every month."""

    aws: Emulator
    key: str
    months: Iterator[int] = field(default_factory=lambda: count(1))
    rows: list[dict[str, Any]] = field(default_factory=list)

    def role(self, who: str) -> str:
        return f"{JOB}-{who}-ap-northeast-1"

    def denied(self, who: str, action: str) -> int:
        """How often `action` was refused to the role so far."""
        return denied(self.aws, self.role(who), action)

    def without(self, who: str, action: str, *, resource: str = "") -> AbstractContextManager[None]:
        """Take an action, on resources whose ARN holds `resource`, out of a role's policies for a while."""
        return without(self.aws, self.role(who), action, resource=resource)

    def as_role(self, who: str, service: str) -> Any:
        """A client with a role's own keys."""
        return taken(self.aws, self.role(who), service)

    def elsewhere(self, who: str, sid: str) -> AbstractContextManager[None]:
        """Let the conditions of a role's statement name what nothing has, for a while."""
        return elsewhere(self.aws, self.role(who), sid)

    def run_a_month(self) -> None:
        """Fire the schedule twice, for an employee of a tenant that no function has met."""
        dynamodb = self.aws.client("dynamodb")
        for row in self.rows:
            dynamodb.delete_item(TableName=DIRECTORY, Key={key: row[key] for key in ("pk", "sk")})
        number = next(self.months)
        tenant, stranger = {"S": f"tenant-{number}"}, {"S": f"unknown-{number}"}
        charge = {"sk": {"S": "employee#1"}, "amount": {"N": "100"}, "currency": {"S": "JPY"}}
        # Nobody knows the second tenant: its employee is never charged, so the auditor finds one missing.
        self.rows = [
            {"pk": tenant, "sk": {"S": "tenant"}, "status": {"S": "active"}},
            {"pk": tenant, **charge},
            {"pk": stranger, **charge},
        ]
        for row in self.rows:
            dynamodb.put_item(TableName=DIRECTORY, Item=row)
        sqs = self.aws.client("sqs")
        sqs.send_message(
            QueueUrl=sqs.get_queue_url(QueueName=f"{JOB}.fifo")["QueueUrl"],
            MessageBody="{",
            MessageGroupId=tenant["S"],
            MessageDeduplicationId=tenant["S"],
        )
        fired = self.aws.fire_schedule(SCHEDULE, times=2)
        scheduled_time = fired["scheduled_time"].replace("+00:00", "Z")
        event = {"job": "charge", "scheduled_time": scheduled_time, "redispatch": True}
        self.aws.client("lambda").invoke(
            FunctionName=f"{JOB}-auditor",
            InvocationType="Event",
            Payload=json.dumps(event).encode(),
        )

    def leave_the_dispatcher_no_time(self) -> None:
        """One row a page, and less than a page's reserve in all: each page ends in a hand-over."""
        functions, name = self.aws.client("lambda"), f"{JOB}-dispatcher"
        variables = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        functions.update_function_configuration(
            FunctionName=name, Timeout=3, Environment={"Variables": variables | {"PAGE_SIZE": "1"}}
        )


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    subprocess.run([sys.executable, "-m", "zips", "--to", str(folder)], cwd=REPOSITORY, check=True)
    return folder


@pytest.fixture(scope="module")
def deployment(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """On a local AWS of its own: ended with all that is in it, which is quicker than a destroy."""
    folder = tmp_path_factory.mktemp("deployment")
    with Emulator.start(log=folder / "log") as aws, attached_to(aws) as environment:
        key = str(aws.client("kms").create_key()["KeyMetadata"]["Arn"])
        copy = placed(REPOSITORY / "envs" / "local", folder, packages)
        platform = {"module": {"platform": {"kms_key_arn": key}}}
        (copy / "key_override.tf.json").write_text(json.dumps(platform), encoding="utf-8")
        root = Terraform(
            copy,
            environment,
            {"endpoint": aws.endpoint, "dist": str(packages)},
            data_dir=folder / "terraform",
            state=folder / "terraform.tfstate",
        )
        root.init()
        root.apply()
        yield Deployment(aws, key)


def test_nothing_is_denied_while_all_permissions_are_there(deployment: Deployment) -> None:
    deployment.run_a_month()

    # Every function starts for the first time; the limit bounds a hang.
    assert eventually(lambda: len(deployment.aws.peek(f"{JOB}-dlq.fifo")) == 2, seconds=60)
    assert deployment.aws.state()["denials"] == []


@pytest.mark.parametrize(
    ("who", "action"), [(who, action) for who, actions in PERMISSIONS.items() for action in actions]
)
def test_a_month_misses_the_permission(deployment: Deployment, who: str, action: str) -> None:
    before = deployment.denied(who, action)
    # A message is handed back, with a delay, once its transaction has been cancelled time and again.
    deployment.aws.set_faults({"conflict_every": 1} if action == "sqs:ChangeMessageVisibility" else {})
    if (who, action) == ("dispatcher", "lambda:InvokeFunction"):
        deployment.leave_the_dispatcher_no_time()

    def missed() -> bool:
        return deployment.denied(who, action) > before

    with deployment.without(who, action):
        for _ in range(MONTHS_AT_MOST):
            deployment.run_a_month()
            if eventually(missed):
                break

    assert missed(), f"nothing needed {action} of the {who}"


# By statement: what the role is refused once the condition names something else.
CONDITIONS = [
    ("schedule", "ScheduleKey", "kms:Decrypt"),
    ("dispatcher", "KeepRunRow", "dynamodb:UpdateItem"),
    ("dispatcher", "TableKeys", "kms:Decrypt"),
    ("dispatcher", "EnvironmentKey", "kms:Decrypt"),
    ("auditor", "KeepRunRow", "dynamodb:GetItem"),
    ("auditor", "TableKeys", "kms:Decrypt"),
    ("consumer", "TableKeys", "kms:Decrypt"),
    ("consumer", "QueueKey", "kms:Decrypt"),
    ("consumer", "EnvironmentKey", "kms:Decrypt"),
]


@pytest.mark.parametrize(("who", "sid", "action"), CONDITIONS)
def test_a_month_fulfils_the_condition(deployment: Deployment, who: str, sid: str, action: str) -> None:
    before = deployment.denied(who, action)

    def refused_by_it() -> bool:
        return deployment.denied(who, action) > before

    with deployment.elsewhere(who, sid):
        for _ in range(MONTHS_AT_MOST):
            deployment.run_a_month()
            if eventually(refused_by_it):
                break

    assert refused_by_it(), f"nothing needed {sid} of the {who}"


def _put(pk: str) -> dict[str, Any]:
    return {"Put": {"TableName": JOBS, "Item": _row(pk)}}


def _update(pk: str) -> dict[str, Any]:
    return {
        "TableName": JOBS,
        "Key": _row(pk),
        "UpdateExpression": "SET a = :a",
        "ExpressionAttributeValues": {":a": {"S": "1"}},
    }


def _row(pk: str) -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"S": "2000-01"}}


def _query(pk: str) -> dict[str, Any]:
    values = {":pk": {"S": pk}}
    return {"TableName": JOBS, "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": values}


RUN, OTHER_RUN, TENANT = "run#charge", "run#co2", "tenant-0"
OUTSIDE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "dispatcher writes for a tenant": ("dispatcher", "update_item", _update(TENANT)),
    "dispatcher writes another job's run": ("dispatcher", "update_item", _update(OTHER_RUN)),
    "dispatcher writes its run and a tenant's row at once": (
        "dispatcher",
        "transact_write_items",
        {"TransactItems": [{"Update": _update(RUN)}, {"Update": _update(TENANT)}]},
    ),
    "auditor writes for a tenant": ("auditor", "update_item", _update(TENANT)),
    "auditor writes another job's run": ("auditor", "update_item", _update(OTHER_RUN)),
    "auditor gets a tenant's row": ("auditor", "get_item", {"TableName": JOBS, "Key": _row(TENANT)}),
    "auditor lists the runs of another job": ("auditor", "query", _query(OTHER_RUN)),
    "auditor lists a halt": ("auditor", "query", _query("halt#g")),
    "auditor scans the rows": ("auditor", "scan", {"TableName": JOBS}),
    "consumer writes its job's run": ("consumer", "update_item", _update(RUN)),
    "consumer writes another job's run": (
        "consumer",
        "put_item",
        {"TableName": JOBS, "Item": _row(OTHER_RUN)},
    ),
    "consumer writes something off": ("consumer", "update_item", _update("written-off#charge")),
    "consumer writes an effect and a run at once": (
        "consumer",
        "transact_write_items",
        {"TransactItems": [_put(TENANT), _put(RUN)]},
    ),
}
INSIDE: list[tuple[str, str, dict[str, Any]]] = [
    ("dispatcher", "update_item", _update(RUN)),
    ("auditor", "update_item", _update(RUN)),
    ("auditor", "query", _query(TENANT)),
    ("auditor", "query", _query("written-off#charge")),
    ("consumer", "transact_write_items", {"TransactItems": [_put(TENANT)]}),
]


@pytest.mark.parametrize("attempt", OUTSIDE)
def test_row_outside_of_the_condition_is_refused(deployment: Deployment, attempt: str) -> None:
    who, call, arguments = OUTSIDE[attempt]

    assert refused(getattr(deployment.as_role(who, "dynamodb"), call), **arguments) == "AccessDeniedException"


@pytest.mark.parametrize(("who", "call", "arguments"), INSIDE)
def test_row_inside_of_the_condition_is_not(
    deployment: Deployment, who: str, call: str, arguments: dict[str, Any]
) -> None:
    getattr(deployment.as_role(who, "dynamodb"), call)(**arguments)


@pytest.mark.parametrize("who", PERMISSIONS)
def test_key_is_of_no_use_beside_the_services(deployment: Deployment, who: str) -> None:
    sealed = deployment.aws.client("kms").encrypt(KeyId=deployment.key, Plaintext=b"x")["CiphertextBlob"]
    kms = deployment.as_role(who, "kms")

    assert refused(kms.decrypt, CiphertextBlob=sealed) == "AccessDeniedException"
    assert refused(kms.generate_data_key, KeyId=deployment.key, KeySpec="AES_256") == "AccessDeniedException"


def test_schedule_that_may_not_invoke_says_so_in_its_queue(deployment: Deployment) -> None:
    with deployment.without("schedule", "lambda:InvokeFunction"):
        deployment.run_a_month()
        assert eventually(lambda: len(deployment.aws.peek(FAILURE_QUEUES["schedule"])) > 0)

        before = deployment.denied("schedule", "sqs:SendMessage")
        with deployment.without("schedule", "sqs:SendMessage"):
            deployment.run_a_month()
            assert eventually(lambda: deployment.denied("schedule", "sqs:SendMessage") > before)


def test_dispatcher_that_fails_for_good_leaves_its_event_in_its_queue(deployment: Deployment) -> None:
    functions, queue = deployment.aws.client("lambda"), FAILURE_QUEUES["dispatcher"]
    name = f"{JOB}-dispatcher"
    destination = functions.get_function_event_invoke_config(FunctionName=name)["DestinationConfig"]
    once = {"FunctionName": name, "MaximumRetryAttempts": 0, "DestinationConfig": destination}
    functions.put_function_event_invoke_config(**once)

    with deployment.without("dispatcher", "dynamodb:Scan"):
        deployment.run_a_month()
        assert eventually(lambda: len(deployment.aws.peek(queue)) > 0)

    # Lambda asks for the permission when the destination is set.
    with (
        deployment.without("dispatcher", "sqs:SendMessage", resource=queue),
        pytest.raises(functions.exceptions.InvalidParameterValueException, match="SendMessage"),
    ):
        functions.put_function_event_invoke_config(**once)


def test_every_permission_of_the_plan_is_tried_here(deployment: Deployment) -> None:
    iam = deployment.aws.client("iam")
    for who, tried in PERMISSIONS.items():
        role = deployment.role(who)
        granted = {
            action
            for name in iam.list_role_policies(RoleName=role)["PolicyNames"]
            for statement in iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"][
                "Statement"
            ]
            if statement["Effect"] == "Allow"
            for action in listed(statement["Action"])
        }
        of_failures = {"sqs:SendMessage", "kms:GenerateDataKey"} if who in FAILURE_QUEUES else set()
        assert granted == {*tried, *of_failures}
