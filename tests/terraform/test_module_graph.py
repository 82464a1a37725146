"""The order in which Terraform makes things, read from its own graph."""

import re
from collections import defaultdict

import pytest

from tests.terraform.conftest import Run
from tests.terraform.modules import MODULES

pytestmark = pytest.mark.terraform
_EDGE = re.compile(r'"(?P<later>[^"]+)" -> "(?P<earlier>[^"]+)"')


def _after(terraform: Run, module: str, resource: str) -> set[str]:
    """Everything that exists before `resource` is made."""
    done = terraform(MODULES / module, "graph")
    assert done.returncode == 0, done.stderr
    edges: dict[str, set[str]] = defaultdict(set)
    for edge in _EDGE.finditer(done.stdout):
        edges[edge["later"]].add(edge["earlier"])
    found: set[str] = set()
    waiting = [resource]
    while waiting:
        for earlier in edges[waiting.pop()] - found:
            found.add(earlier)
            waiting.append(earlier)
    assert found, f"{resource} is not in the graph of {module}"
    return found


@pytest.mark.parametrize(
    ("module", "later", "earlier"),
    [
        ("queue-with-dlq", "aws_lambda_event_source_mapping.this", "aws_iam_role_policy.consumer"),
        ("queue-with-dlq", "aws_lambda_event_source_mapping.this", "aws_sqs_queue_redrive_policy.this"),
        ("queue-with-dlq", "aws_sqs_queue_redrive_policy.this", "aws_sqs_queue.dead_letter"),
        (
            "queue-with-dlq",
            "aws_sqs_queue_redrive_policy.this",
            "aws_sqs_queue_redrive_allow_policy.dead_letter",
        ),
        ("python-function", "aws_lambda_function.this", "aws_cloudwatch_log_group.this"),
        ("python-function", "aws_lambda_function.this", "aws_iam_role_policy.this"),
        ("scheduler-fanout", "aws_scheduler_schedule.this", "aws_iam_role_policy.invoke"),
        ("scheduler-fanout", "aws_scheduler_schedule.this", "aws_iam_role_policy.failures"),
        ("alert-channel", "aws_cloudwatch_log_subscription_filter.errors", "aws_lambda_permission.logs"),
        (
            "monthly-job",
            "module.queue.module.queue.aws_lambda_event_source_mapping.this",
            "module.consumer.aws_iam_role_policy.this",
        ),
        (
            "monthly-job",
            "module.dispatcher.aws_lambda_function_event_invoke_config.this",
            "module.dispatch_failures.aws_sqs_queue.this",
        ),
    ],
)
def test_one_is_made_after_the_other(terraform: Run, module: str, later: str, earlier: str) -> None:
    assert earlier in _after(terraform, module, later)


def test_function_may_know_the_url_of_the_queue_it_reads(terraform: Run) -> None:
    """Without a cycle: validate would name one."""
    assert terraform(MODULES / "monthly-job", "validate").returncode == 0
    before_function = _after(terraform, "monthly-job", "module.consumer.aws_lambda_function.this")

    assert "module.queue.module.queue.aws_sqs_queue.this" in before_function
