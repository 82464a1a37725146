"""The local AWS: bound to loopback, ended with whoever started it, and as strict as AWS where it was not."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from local.emulator import Emulator, EmulatorError
from local.emulator.process import REPOSITORY, free_port
from tests.support.limits import HANG_SECONDS
from tests.support.local_aws import POLLING, eventually, fifo_queue, function, refused, role

pytestmark = pytest.mark.emulator

_STARTER = """
import sys, time
from pathlib import Path
from local.emulator import Emulator
from local.emulator.process import terminating_on_signals
with terminating_on_signals():
    aws = Emulator.start(Path(sys.argv[1]))
    print(aws.pid, aws.endpoint, flush=True)
    time.sleep(600)
"""
# As a shell starts a background job: with SIGINT ignored.
_IGNORING = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("emulator") / "emulator.log") as emulator:
        yield emulator


def await_end(pid: int) -> None:
    """Return when the process is gone; psutil gives up after a while with an error."""
    try:
        psutil.Process(pid).wait(HANG_SECONDS)
    except psutil.NoSuchProcess:
        return


def test_listens_on_loopback_only(aws: Emulator) -> None:
    processes = [psutil.Process(aws.pid), *psutil.Process(aws.pid).children(recursive=True)]
    listeners = {c.laddr for p in processes for c in p.net_connections() if c.status == psutil.CONN_LISTEN}
    assert listeners == {("127.0.0.1", aws.port)}


def test_taken_port_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port()))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EmulatorError, match=f"port {port} .* is taken"):
            Emulator.start(Path(os.devnull), port)


def test_missing_environment_names_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EMULATOR_PYTHON", str(tmp_path / "python"))
    with pytest.raises(EmulatorError, match="make setup"):
        Emulator.start(tmp_path / "emulator.log")


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=["kill", "Ctrl-C", "term"]
)
@pytest.mark.parametrize("before", [(), _IGNORING], ids=["", "SIGINT ignored"])
def test_ends_with_the_process_that_started_it(
    how: signal.Signals, before: tuple[str, ...], tmp_path: Path
) -> None:
    command = [*before, sys.executable, "-c", _STARTER, str(tmp_path / "emulator.log")]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline().split()[0])
        scratch = psutil.Process(pid).environ()["TMPDIR"]
        starter.send_signal(how)
        await_end(pid)
    assert not psutil.pid_exists(pid)
    assert not Path(scratch).exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_functions_at_work_end_with_the_emulator(number: signal.Signals, tmp_path: Path) -> None:
    """Whatever disposition of SIGINT the emulator was started with."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        emulator = Emulator.start(tmp_path / "emulator.log")
    finally:
        signal.signal(signal.SIGINT, before)
    code = "import time\ndef handler(e, c): time.sleep(600)"
    function(emulator, "sleeps", role(emulator, "sleeps"), code, tmp_path, timeout=600)
    emulator.client("lambda").invoke(FunctionName="sleeps", InvocationType="Event")
    eventually(lambda: bool(emulator.state()["processes"]))
    (worker,) = [process["pid"] for process in emulator.state()["processes"]]
    os.kill(emulator.pid, number)
    await_end(worker)
    eventually(lambda: not emulator.alive)
    emulator.stop()


def test_stop_is_safe_to_call_twice(tmp_path: Path) -> None:
    emulator = Emulator.start(tmp_path / "emulator.log")
    emulator.stop()
    emulator.stop()
    assert not emulator.alive


def test_callers_without_permission_are_refused_and_counted(aws: Emulator) -> None:
    iam = aws.client("iam")
    iam.create_user(UserName="stranger")
    key = iam.create_access_key(UserName="stranger")["AccessKey"]
    credentials = {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
    sqs = aws.client("sqs", credentials)
    assert refused(sqs.create_queue, QueueName="mine").startswith("AccessDenied")
    assert any(denial["action"] == "sqs:CreateQueue" for denial in aws.state()["denials"])


def test_profile_that_does_not_exist_changes_nothing(aws: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "left-behind")
    assert aws.client("sts").get_caller_identity()["Account"] == "111122223333"


@pytest.mark.parametrize(
    "group", ["東京支店", "a b", "x" * 129], ids=["not ASCII", "blank", "129 characters"]
)
def test_group_ids_outside_the_alphabet_of_sqs_are_refused(aws: Emulator, group: str) -> None:
    url = fifo_queue(aws, "alphabet")
    message = {"MessageBody": "x", "MessageGroupId": group, "MessageDeduplicationId": "d"}
    assert refused(aws.client("sqs").send_message, QueueUrl=url, **message) == "InvalidParameterValue"


def test_copy_in_a_fifo_dead_letter_queue_has_its_message_id_for_deduplication(aws: Emulator) -> None:
    sqs = aws.client("sqs")
    dead_letters = fifo_queue(aws, "copies-dlq")
    arn = sqs.get_queue_attributes(QueueUrl=dead_letters, AttributeNames=["QueueArn"])["Attributes"][
        "QueueArn"
    ]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 2})
    url = fifo_queue(aws, "copies", RedrivePolicy=policy)
    sqs.send_message(QueueUrl=url, MessageBody="x", MessageGroupId="g", MessageDeduplicationId="business-key")
    for _ in range(2):
        assert sqs.receive_message(QueueUrl=url, VisibilityTimeout=0)["Messages"]
    assert not sqs.receive_message(QueueUrl=url).get("Messages")
    (copy,) = sqs.receive_message(QueueUrl=dead_letters, MessageSystemAttributeNames=["All"])["Messages"]
    assert copy["Attributes"]["MessageDeduplicationId"] == copy["MessageId"]


@pytest.mark.parametrize("missing", POLLING)
def test_mapping_is_refused_while_the_role_lacks_a_permission(
    aws: Emulator, missing: str, tmp_path: Path
) -> None:
    name = "lacks-" + missing.partition(":")[2]
    arn = role(aws, name, *(action for action in POLLING if action != missing))
    function(aws, name, arn, "def handler(e, c): pass", tmp_path)
    source = f"arn:aws:sqs:ap-northeast-1:111122223333:{fifo_queue(aws, name).rsplit('/', 1)[-1]}"
    create = aws.client("lambda").create_event_source_mapping
    assert refused(create, FunctionName=name, EventSourceArn=source) == "InvalidParameterValueException"


def test_mapping_is_refused_when_the_queue_hides_messages_for_less_than_the_timeout(
    aws: Emulator, tmp_path: Path
) -> None:
    function(aws, "slow", role(aws, "slow", *POLLING), "def handler(e, c): pass", tmp_path, timeout=60)
    fifo_queue(aws, "hasty", VisibilityTimeout="30")
    source = "arn:aws:sqs:ap-northeast-1:111122223333:hasty.fifo"
    create = aws.client("lambda").create_event_source_mapping
    assert refused(create, FunctionName="slow", EventSourceArn=source) == "InvalidParameterValueException"


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("None", 0),
        ("{'batchItemFailures': []}", 0),
        ("{'batchItemFailures': [{'itemIdentifier': 'unknown'}]}", 1),
        ("{'batchItemFailures': [{'itemIdentifier': ''}]}", 1),
        ("{'batchItemFailures': [{'messageId': e['Records'][0]['messageId']}]}", 1),
        ("'not json'", 1),
    ],
    ids=["null", "empty list", "unknown id", "empty id", "wrong key", "no JSON"],
)
def test_invalid_answer_of_a_consumer_fails_the_whole_batch(
    aws: Emulator, answer: str, left: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    name = "answers-" + request.node.callspec.id.replace(" ", "-")
    logs = ("logs:CreateLogStream", "logs:PutLogEvents")
    function(aws, name, role(aws, name, *POLLING, *logs), f"def handler(e, c): return {answer}", tmp_path)
    sqs, url = aws.client("sqs"), fifo_queue(aws, name)
    sqs.send_message(QueueUrl=url, MessageBody="x", MessageGroupId="g", MessageDeduplicationId="d")
    functions = aws.client("lambda")
    mapping = functions.create_event_source_mapping(
        FunctionName=name,
        EventSourceArn=f"arn:aws:sqs:ap-northeast-1:111122223333:{name}.fifo",
        FunctionResponseTypes=["ReportBatchItemFailures"],
    )
    eventually(
        lambda: (
            functions.get_event_source_mapping(UUID=mapping["UUID"])["LastProcessingResult"]
            != "No records processed"
        )
    )
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    assert sum(map(int, attributes.values())) == left


def schedule(aws: Emulator, name: str, expression: str, zone: str, role_arn: str, dead_letters: str) -> str:
    """Create a schedule whose target does not exist: what it would have sent lands in DEAD_LETTERS."""
    client = aws.client("scheduler")
    client.create_schedule_group(Name=name)
    client.create_schedule(
        Name="monthly",
        GroupName=name,
        ScheduleExpression=expression,
        ScheduleExpressionTimezone=zone,
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={
            "Arn": "arn:aws:lambda:ap-northeast-1:111122223333:function:absent",
            "RoleArn": role_arn,
            "Input": '{"at":"<aws.scheduler.scheduled-time>","attempt":"<aws.scheduler.attempt-number>"}',
            "DeadLetterConfig": {"Arn": dead_letters},
        },
    )
    return f"{name}/monthly"


def scheduler_role(aws: Emulator, name: str, group: str, *actions: str) -> str:
    arn = role(aws, name, *actions)
    source = f"arn:aws:scheduler:ap-northeast-1:111122223333:schedule-group/{group}"
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "scheduler.amazonaws.com"},
        "Action": "sts:AssumeRole",
        "Condition": {"StringEquals": {"aws:SourceAccount": "111122223333", "aws:SourceArn": source}},
    }
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    aws.client("iam").update_assume_role_policy(RoleName=name, PolicyDocument=document)
    return arn


def test_schedule_fires_in_its_own_zone_with_its_keywords_filled_in(aws: Emulator) -> None:
    queue = aws.client("sqs").create_queue(QueueName="missed")["QueueUrl"]
    arn = "arn:aws:sqs:ap-northeast-1:111122223333:missed"
    role_arn = scheduler_role(aws, "zoned", "zoned", "sqs:SendMessage")
    name = schedule(aws, "zoned", "cron(0 3 1 * ? *)", "Asia/Tokyo", role_arn, arn)
    fired = aws.fire_schedule(name, times=2)
    bodies = [json.loads(message["body"]) for message in aws.peek("missed")]
    assert bodies == [{"at": fired["scheduled_time"].replace("+00:00", "Z"), "attempt": "1"}] * 2
    # 03:00 on the 1st in Tokyo is 18:00 UTC on the last day of the month before.
    assert "T18:00:00" in fired["scheduled_time"]
    assert aws.state()["fires"][name] == 2
    aws.client("sqs").purge_queue(QueueUrl=queue)


def test_schedule_of_another_group_may_not_take_the_role(aws: Emulator) -> None:
    aws.client("sqs").create_queue(QueueName="foreign")
    arn = "arn:aws:sqs:ap-northeast-1:111122223333:foreign"
    role_arn = scheduler_role(aws, "bound", "some-other-group", "sqs:SendMessage", "lambda:InvokeFunction")
    aws.fire_schedule(schedule(aws, "foreign", "cron(0 3 1 * ? *)", "UTC", role_arn, arn))
    denied = [denial for denial in aws.state()["denials"] if denial["resource"] == role_arn]
    assert [denial["action"] for denial in denied] == ["sts:AssumeRole"]


def test_local_time_that_the_zone_skips_does_not_fire(aws: Emulator) -> None:
    aws.client("sqs").create_queue(QueueName="skipped")
    arn = "arn:aws:sqs:ap-northeast-1:111122223333:skipped"
    role_arn = scheduler_role(aws, "skipping", "skipping", "sqs:SendMessage")
    # 02:30 on the second Sunday of March does not exist in New York.
    name = schedule(aws, "skipping", "cron(30 2 ? 3 1#2 2027-2028)", "America/New_York", role_arn, arn)
    with pytest.raises(EmulatorError, match="no occurrence left"):
        aws.fire_schedule(name)
