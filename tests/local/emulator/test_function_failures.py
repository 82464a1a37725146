"""A Python function that fails, at import or later, tells it in its answer and in its log group as on AWS."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.emulator import Emulator
from tests.support.local_aws import LOGGING, POLLING, eventually, fifo_queue, function, queue_arn, role

pytestmark = pytest.mark.emulator


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("failures") / "emulator.log") as emulator:
        yield emulator


def events(aws: Emulator, name: str) -> list[str]:
    """Every event of a function's log group, invocation by invocation."""
    group = f"/aws/lambda/{name}"
    logs = aws.client("logs")
    if not logs.describe_log_groups(logGroupNamePrefix=group)["logGroups"]:
        return []  # made by the first invocation
    return [str(event["message"]) for event in logs.filter_log_events(logGroupName=group)["events"]]


def failed(aws: Emulator, name: str) -> dict[str, Any]:
    """Invoke a function that fails; what it answers."""
    answer = aws.client("lambda").invoke(FunctionName=name, Payload=b"{}")
    assert answer["FunctionError"] == "Unhandled"
    return dict(json.load(answer["Payload"]))


AT_IMPORT = {
    "no-module": (
        "import nowhere_to_be_found",
        "Runtime.ImportModuleError",
        "Unable to import module 'handler': No module named 'nowhere_to_be_found'",
    ),
    "no-name": (
        "from json import nothing",
        "Runtime.ImportModuleError",
        r"Unable to import module 'handler': cannot import name 'nothing' from 'json' .*",
    ),
    "no-syntax": (
        "def handler(e, c) return 1",
        "Runtime.UserCodeSyntaxError",
        r"Syntax error in module 'handler': .*",
    ),
    "no-handler": (
        "def other(e, c): pass",
        "Runtime.HandlerNotFound",
        "Handler 'handler' missing on module 'handler'",
    ),
    "no-setting": ("import os\nTABLE = os.environ['TABLE_OF_NOBODY']", "KeyError", "'TABLE_OF_NOBODY'"),
    "gone": (
        "raise SystemExit(7)",
        "Runtime.ExitError",
        r"RequestId: \S+ Error: .* exited .*: exit status 7",
    ),
}


@pytest.mark.parametrize("name", AT_IMPORT)
def test_function_that_does_not_start_tells_why(aws: Emulator, name: str, tmp_path: Path) -> None:
    code, kind, message = AT_IMPORT[name]
    function(aws, name, role(aws, name, *LOGGING), f"print('began')\n{code}", tmp_path)
    for _ in range(2):  # the next invocation starts another process, which fails likewise
        answer = failed(aws, name)
        assert answer["errorType"] == kind
        assert re.fullmatch(message, answer["errorMessage"])
        assert answer["requestId"]
    written = events(aws, name)
    assert written.count("began") == 2 or name == "no-syntax"
    errors = [event for event in written if event.startswith("[ERROR]")]
    assert len(errors) == 2
    assert re.match(
        rf"\[ERROR\] {re.escape(kind)}: {message}\nTraceback \(most recent call last\):", errors[0]
    )
    reports = [event for event in written if event.startswith("INIT_REPORT")]
    assert re.fullmatch(
        rf"INIT_REPORT Init Duration: [\d.]+ ms\tPhase: init\tStatus: error\tError Type: {kind}", reports[0]
    )


def test_stack_of_a_module_that_fails_is_the_functions_own(aws: Emulator, tmp_path: Path) -> None:
    code = "def read():\n    return {}['amount']\n\nread()"
    function(aws, "own-stack", role(aws, "own-stack", *LOGGING), code, tmp_path)
    stack = failed(aws, "own-stack")["stackTrace"]
    assert "handler.py" in stack[-1]
    assert "in read" in stack[-1]
    assert "_worker.py" not in stack[0]


def test_exception_of_a_handler_is_named_with_its_stack(aws: Emulator, tmp_path: Path) -> None:
    code = "def handler(event, context):\n    print('working')\n    raise LookupError('nobody\\nat home')"
    function(aws, "raises", role(aws, "raises", *LOGGING), code, tmp_path)
    answer = failed(aws, "raises")
    assert (answer["errorType"], answer["errorMessage"]) == ("LookupError", "nobody\nat home")
    assert "raise LookupError" in answer["stackTrace"][0]
    (start, working, error, *rest) = events(aws, "raises")
    assert start.startswith("START RequestId: ")
    assert working == "working"
    assert error.startswith("[ERROR] LookupError: nobody\nat home\nTraceback (most recent call last):\n")
    assert not [event for event in rest if "INIT_REPORT" in event or "ERROR" in event]


def test_consumer_that_does_not_start_loses_nothing(aws: Emulator, tmp_path: Path) -> None:
    name = "lost-consumer"
    function(aws, name, role(aws, name, *LOGGING, *POLLING), "import nowhere_to_be_found", tmp_path)
    url = fifo_queue(aws, name)
    aws.client("sqs").send_message(
        QueueUrl=url, MessageBody="x", MessageGroupId="g", MessageDeduplicationId="d"
    )
    source = queue_arn(f"{name}.fifo")
    aws.client("lambda").create_event_source_mapping(FunctionName=name, EventSourceArn=source)
    eventually(lambda: any("Runtime.ImportModuleError" in event for event in events(aws, name)))
    assert len(aws.peek(f"{name}.fifo")) == 1
