"""envs/local: what a plan of it says."""

import json
import re
from pathlib import Path

import pytest

from deploy.terraform import Terraform, TerraformError
from local.emulator import Emulator
from tests.terraform.conftest import DIST
from tests.terraform.modules import REPOSITORY
from tests.terraform.plans import Plan

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]

ROOT = REPOSITORY / "envs" / "local"
ARN = "arn:aws:{service}:ap-northeast-1:111122223333:{resource}"
JOBS = ARN.format(service="dynamodb", resource="table/fanout-local-jobs")
DIRECTORY = ARN.format(service="dynamodb", resource="table/fanout-local-directory")


def _sqs(name: str) -> str:
    return ARN.format(service="sqs", resource=f"fanout-local-{name}")


def _function(name: str) -> str:
    return ARN.format(service="lambda", resource=f"function:fanout-local-{name}")


def _own_output(name: str) -> set[tuple[str, str]]:
    """What every function may do: its log and its traces."""
    log = ARN.format(service="logs", resource=f"log-group:/aws/lambda/fanout-local-{name}:*")
    return {
        ("logs:CreateLogStream", log),
        ("logs:PutLogEvents", log),
        ("xray:PutTelemetryRecords", "*"),
        ("xray:PutTraceSegments", "*"),
    }


def _terraform(aws: Emulator, attached: dict[str, str], folder: Path) -> Terraform:
    return Terraform(
        ROOT,
        attached,
        {"endpoint": aws.endpoint, "dist": str(DIST)},
        data_dir=folder / "terraform",
        state=folder / "terraform.tfstate",
    )


@pytest.fixture(scope="module")
def plan(aws: Emulator, attached: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("plan")
    root = _terraform(aws, attached, folder)
    root.init()
    return Plan.of(root, folder)


def test_dispatcher_may_do_what_it_does_and_no_more(plan: Plan) -> None:
    assert plan.grants()["fanout-local-charge-dispatcher-ap-northeast-1"] == {
        ("dynamodb:Scan", DIRECTORY),
        ("dynamodb:UpdateItem", JOBS),
        ("lambda:InvokeFunction", _function("charge-dispatcher")),
        ("sqs:SendMessage", _sqs("charge.fifo")),
        ("sqs:SendMessage", _sqs("charge-dispatch-failures")),
        *_own_output("charge-dispatcher"),
    }


def test_charge_consumer_may_do_what_it_does_and_no_more(plan: Plan) -> None:
    assert plan.grants()["fanout-local-charge-consumer-ap-northeast-1"] == {
        ("dynamodb:PutItem", JOBS),
        ("dynamodb:UpdateItem", JOBS),
        ("dynamodb:GetItem", DIRECTORY),
        ("sqs:ReceiveMessage", _sqs("charge.fifo")),
        ("sqs:DeleteMessage", _sqs("charge.fifo")),
        ("sqs:GetQueueAttributes", _sqs("charge.fifo")),
        ("sqs:ChangeMessageVisibility", _sqs("charge.fifo")),
        ("sqs:SendMessage", _sqs("charge-dlq.fifo")),
        *_own_output("charge-consumer"),
    }


def test_auditor_may_do_what_it_does_and_no_more(plan: Plan) -> None:
    assert plan.grants()["fanout-local-charge-auditor-ap-northeast-1"] == {
        ("dynamodb:Scan", DIRECTORY),
        ("dynamodb:GetItem", JOBS),
        ("dynamodb:Query", JOBS),
        ("dynamodb:UpdateItem", JOBS),
        ("sqs:SendMessage", _sqs("charge.fifo")),
        ("sqs:SendMessage", _sqs("charge-dispatch-failures")),
        *_own_output("charge-auditor"),
    }


def test_co2_consumer_keeps_records_and_asks_for_halted_groups(plan: Plan) -> None:
    records = ARN.format(service="dynamodb", resource="table/fanout-local-idempotency")
    charge = plan.grants()["fanout-local-charge-consumer-ap-northeast-1"]
    co2 = plan.grants()["fanout-local-co2-consumer-ap-northeast-1"]

    assert {(action, resource.replace("local-co2", "local-charge")) for action, resource in co2} - charge == {
        ("dynamodb:GetItem", JOBS),
        ("dynamodb:GetItem", records),
        ("dynamodb:PutItem", records),
        ("dynamodb:UpdateItem", records),
        ("dynamodb:DeleteItem", records),
    }


def test_schedule_may_invoke_its_functions_and_report_what_it_cannot(plan: Plan) -> None:
    assert plan.grants()["fanout-local-charge-schedule-ap-northeast-1"] == {
        ("lambda:InvokeFunction", _function("charge-dispatcher")),
        ("lambda:InvokeFunction", _function("charge-auditor")),
        ("sqs:SendMessage", _sqs("charge-schedule-failures")),
    }


def test_roles_trust_one_service_each_and_scheduler_for_its_group_only(plan: Plan) -> None:
    trusts = {
        role["name"]: json.loads(role["assume_role_policy"])["Statement"]
        for role in plan.resources("aws_iam_role").values()
    }
    for name, statements in trusts.items():
        (statement,) = statements
        service = "scheduler" if "-schedule-" in name else "lambda"
        assert statement["Principal"] == {"Service": f"{service}.amazonaws.com"}, name

    assert trusts["fanout-local-charge-schedule-ap-northeast-1"][0]["Condition"] == {
        "StringEquals": {
            "aws:SourceAccount": "111122223333",
            "aws:SourceArn": ARN.format(service="scheduler", resource="schedule-group/fanout-local-charge"),
        }
    }


def test_every_policy_has_a_version_and_is_known_at_plan(plan: Plan) -> None:
    policies = {
        **plan.resources("aws_iam_role_policy"),
        **plan.resources("aws_sqs_queue_policy"),
    }
    assert policies
    for address, resource in policies.items():
        assert not plan.unknown(address, "policy"), address
        assert json.loads(resource["policy"])["Version"] == "2012-10-17", address


def test_queues_refuse_what_does_not_come_by_tls(plan: Plan) -> None:
    policies = plan.resources("aws_sqs_queue_policy")

    assert len(policies) == len(plan.resources("aws_sqs_queue"))
    for address, resource in policies.items():
        statements = json.loads(resource["policy"])["Statement"]
        denials = [statement for statement in listed_statements(statements) if statement["Effect"] == "Deny"]
        assert denials, address
        assert denials[0]["Action"] == "sqs:*"
        assert denials[0]["Principal"] == "*"
        assert denials[0]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def listed_statements(statements: object) -> list[dict[str, object]]:
    """Statements as a list, whether a document has one or several."""
    return statements if isinstance(statements, list) else [statements]  # type: ignore[list-item]


def test_nothing_but_traces_is_granted_on_everything(plan: Plan) -> None:
    wide = {action for pairs in plan.grants().values() for action, resource in pairs if resource == "*"}

    assert wide == {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}
    for pairs in plan.grants().values():
        assert not [action for action, _ in pairs if "*" in action]


def test_redrive_policy_holds_a_number_and_both_arns(plan: Plan) -> None:
    queue = 'module.platform.module.job["charge"].module.queue.module.queue'
    redrive = plan.resources("aws_sqs_queue_redrive_policy")[f"{queue}.aws_sqs_queue_redrive_policy.this"]
    allow = plan.resources("aws_sqs_queue_redrive_allow_policy")[
        f"{queue}.aws_sqs_queue_redrive_allow_policy.dead_letter"
    ]

    assert json.loads(redrive["redrive_policy"]) == {
        "deadLetterTargetArn": _sqs("charge-dlq.fifo"),
        "maxReceiveCount": 200,
    }
    assert json.loads(allow["redrive_allow_policy"]) == {
        "redrivePermission": "byQueue",
        "sourceQueueArns": [_sqs("charge.fifo")],
    }


@pytest.mark.parametrize("job", ["charge", "co2"])
@pytest.mark.parametrize("schedule", ["dispatch", "audit"])
def test_schedule_hands_over_its_keywords_with_brackets(plan: Plan, job: str, schedule: str) -> None:
    address = f'module.platform.module.job["{job}"].module.schedule.aws_scheduler_schedule.this["{schedule}"]'
    text = plan.resources("aws_scheduler_schedule")[address]["target"][0]["input"]

    assert json.loads(text) == {
        "job": job,
        "scheduled_time": "<aws.scheduler.scheduled-time>",
        "schedule_arn": "<aws.scheduler.schedule-arn>",
        "execution_id": "<aws.scheduler.execution-id>",
        "attempt_number": "<aws.scheduler.attempt-number>",
    }
    assert "\\u003c" not in text
    assert text.count("<aws.scheduler.") == 4


def test_visibility_is_six_times_the_consumer_s_short_timeout(plan: Plan) -> None:
    (queue,) = [
        q for q in plan.resources("aws_sqs_queue").values() if q["name"] == "fanout-local-charge.fifo"
    ]
    (consumer,) = [
        function
        for function in plan.resources("aws_lambda_function").values()
        if function["function_name"] == "fanout-local-charge-consumer"
    ]

    assert queue["visibility_timeout_seconds"] == 6 * consumer["timeout"] <= 60


def test_functions_know_what_they_have_to(plan: Plan) -> None:
    known = {
        function["function_name"]: function["environment"][0]["variables"]
        for function in plan.resources("aws_lambda_function").values()
    }
    queues = "https://sqs.ap-northeast-1.amazonaws.com/111122223333/fanout-local"
    common = {
        "JOB_NAME": "charge",
        "JOB_TABLE": "fanout-local-jobs",
        "DIRECTORY_TABLE": "fanout-local-directory",
        "POWERTOOLS_SERVICE_NAME": "charge",
        "POWERTOOLS_METRICS_NAMESPACE": "FanoutOnce",
        "POWERTOOLS_LOG_LEVEL": "INFO",
        "QUEUE_URL": f"{queues}-charge.fifo",
    }
    assert known["fanout-local-charge-auditor"] == known["fanout-local-charge-dispatcher"]
    assert known["fanout-local-co2-consumer"]["IDEMPOTENCY_TABLE"] == "fanout-local-idempotency"
    assert known["fanout-local-co2-consumer"]["ON_QUARANTINE"] == "halt-group"
    assert known["fanout-local-charge-dispatcher"] == common | {
        "TIMEZONE": "Asia/Tokyo",
        "PERIOD_POLICY": "previous-month",
        "GROUP_SCOPE": "tenant-month",
        "SENDER_THREADS": "4",
        "PAGE_SIZE": "500",
    }
    assert known["fanout-local-charge-consumer"] == common | {
        "DLQ_URL": f"{queues}-charge-dlq.fifo",
        "MAX_ATTEMPTS": "5",
        "MAX_DELIVERIES": "10",
        "ON_QUARANTINE": "continue",
        "BATCH_THREADS": "10",
    }


def test_everything_that_takes_tags_has_the_environment_s(plan: Plan) -> None:
    tagged = [
        change["change"]["after"]["tags_all"]
        for change in plan.document["resource_changes"]
        if "tags_all" in (change["change"]["after"] or {})
    ]
    assert len(tagged) > 10
    for tags in tagged:
        assert tags["project"] == "fanout-once"
        assert tags["environment"] == "local"


@pytest.mark.parametrize("endpoint", ["http://10.0.0.1:4566", "https://sqs.ap-northeast-1.amazonaws.com", ""])
def test_endpoint_elsewhere_is_refused(endpoint: str, attached: dict[str, str], tmp_path: Path) -> None:
    root = Terraform(
        ROOT, attached, {"endpoint": endpoint, "dist": str(DIST)}, data_dir=tmp_path / "terraform"
    )
    root.init()

    with pytest.raises(TerraformError, match=re.escape("http://127.0.0.1:PORT")):
        root.plan()
