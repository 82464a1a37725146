"""The operator's command against a local AWS: what it shows, what it moves, what it leaves."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from job_runtime.dead_letters import DeadLetter
from job_runtime.failures import RejectedError
from operations.dlq.__main__ import main
from operations.dlq.archive import FileArchive
from tests.local.operations.bench import REPOSITORY, Bench, messages
from tests.local.operations.conftest import Dlq
from tests.support.limits import HANG_SECONDS

pytestmark = pytest.mark.emulator

Make = Callable[..., Bench]
REJECTED = {"failure_class": "rejected", "exception": "RejectedError", "summary": "rule"}
TRANSIENT = {"failure_class": "transient", "exception": "ReadTimeoutError"}


def hidden(bench: Bench) -> int:
    name = "ApproximateNumberOfMessagesNotVisible"
    attributes = bench.sqs.get_queue_attributes(QueueUrl=bench.dlq_url, AttributeNames=[name])["Attributes"]
    return int(attributes[name])


@pytest.mark.parametrize("suffix", [".fifo", ""])
def test_a_look_counts_more_than_ten_and_leaves_everything_visible(make: Make, dlq: Dlq, suffix: str) -> None:
    bench = make(suffix=suffix)
    for number in range(12):
        bench.bury([(message, REJECTED) for message in messages(f"t{number}", range(3))])
    bench.bury([(message, {}) for message in messages("t0", range(3, 5))])
    status, found = dlq(bench, "inspect")
    assert status == 0
    assert found["visible"] == 38
    assert (found["seen"] > 10, found["seen"] + found["unseen"]) == (True, 38)
    if not suffix:
        assert found["class"] == {"rejected": 36, "exhausted": 2}
        assert found["tenant"]["t0"] == 5
        assert found["exception"] == {"RejectedError": 36, "none: moved by SQS": 2}
    assert hidden(bench) == 0
    assert len(bench.letters()) == 38


def test_a_look_reaches_the_first_ten_of_a_group_and_says_how_many_are_behind(bench: Bench, dlq: Dlq) -> None:
    bench.bury([(message, REJECTED) for message in messages("t1", range(25))])
    _, found = dlq(bench, "inspect")
    assert (found["seen"], found["unseen"], found["groups"]) == (10, 15, 1)


def test_a_look_is_bounded(make: Make, dlq: Dlq) -> None:
    bench = make(suffix="")
    bench.bury([(message, REJECTED) for message in messages("t1", range(25))])
    _, found = dlq(bench, "inspect", "--limit", "7")
    assert found["seen"] == 7
    assert hidden(bench) == 0


def test_one_message_is_shown_with_its_reason_and_nothing_personal(bench: Bench, dlq: Dlq) -> None:
    (message,) = messages("tenant-of-note", range(1))
    bench.bury([(message, REJECTED)])
    status, found = dlq(bench, "show", message.idempotency_key)
    assert status == 0
    assert (found["failure_class"], found["summary"], found["ledger"]) == (
        "rejected",
        "rule",
        {"state": "no effect"},
    )
    text = json.dumps(found)
    assert "tenant-of-note" not in text
    assert "e00000" not in text
    assert '"amount"' not in text
    _, personal = dlq(bench, "show", message.idempotency_key, "--personal")
    assert (personal["tenant_id"], personal["employee_id"]) == ("tenant-of-note", "e00000")
    assert personal["body"] == message.body()


@pytest.mark.parametrize(
    ("stored", "state"), [("same", "took effect"), ("other", "took effect with another payload")]
)
def test_one_message_is_shown_with_what_the_ledger_knows_of_its_key(
    bench: Bench, dlq: Dlq, stored: str, state: str
) -> None:
    (message,) = messages("t1", range(1))
    bench.bury([(message, TRANSIENT)])
    bench.dynamodb.put_item(
        TableName=bench.table,
        Item={
            "pk": {"S": "t1"},
            "sk": {"S": "charge#2026-11#e00000"},
            "payload_hash": {"S": message.payload_hash if stored == "same" else stored},
            "charged_at": {"S": "2026-12-01T00:00:00.000000Z"},
            "run_id": {"S": "charge-2026-11"},
        },
    )
    bench.dynamodb.put_item(
        TableName=bench.table,
        Item={
            "pk": {"S": "t1"},
            "sk": {"S": f"attempt#{message.idempotency_key}"},
            "attempts": {"N": "3"},
        },
    )
    _, found = dlq(bench, "show", message.idempotency_key)
    assert found["ledger"] == {
        "state": state,
        "at": "2026-12-01T00:00:00.000000Z",
        "run_id": "charge-2026-11",
        "attempts": 3,
    }


def test_a_message_that_is_not_there_is_said_to_be_so(bench: Bench, dlq: Dlq) -> None:
    status, found = dlq(bench, "show", "nothing")
    assert status == 2
    assert "nothing: not among the messages" in found["error"]


def test_a_dry_run_lists_what_would_go_in_order_and_moves_nothing(make: Make, dlq: Dlq) -> None:
    bench = make()
    bench.bury(
        [(message, REJECTED if n % 2 else TRANSIENT) for n, message in enumerate(messages("t1", range(8)))]
    )
    before = bench.letters()
    status, found = dlq(bench, "redrive", "--class", "transient", "--dry-run")
    assert (status, found["would_go"], found["by_class"]) == (0, 4, {"transient": 4})
    assert [row["place"] for row in found["order"]] == [1, 2, 3, 4]
    after = bench.letters()
    assert [m["sequence_number"] for m in after] == [m["sequence_number"] for m in before]
    assert bench.letters("") == []
    assert hidden(bench) == 0


@pytest.mark.parametrize("suffix", [".fifo", ""])
def test_a_class_goes_back_and_takes_effect_once_and_the_rest_stays(
    make: Make, dlq: Dlq, suffix: str
) -> None:
    bench = make(suffix=suffix)
    for tenant in ("t1", "t2"):
        bench.bury(
            [(m, REJECTED if n < 15 else TRANSIENT) for n, m in enumerate(messages(tenant, range(30)))]
        )
    status, found = dlq(bench, "redrive", "--class", "transient")
    assert (status, found["redriven"], found["left"], found["left_hidden"]) == (0, 30, 30, 0)
    bench.consume()
    for tenant in ("t1", "t2"):
        wanted = [(tenant, f"e{number:05}") for number in range(30)]
        done = [who for who in bench.applied if who[0] == tenant]
        left = [who for who in bench.peek() if who[0] == tenant]
        if suffix:
            assert (done, left) == (wanted[15:], wanted[:15])
        else:
            assert (sorted(done), sorted(left)) == (wanted[15:], wanted[:15])


def test_every_filter_narrows(bench: Bench, dlq: Dlq) -> None:
    first, second = messages("t1", range(2))
    bench.bury([(first, TRANSIENT), (second, REJECTED), *((m, TRANSIENT) for m in messages("t2", range(2)))])
    for filters in (
        ["--tenant", "t3"],
        ["--group", "t3#2026-11"],
        ["--key", "k"],
        ["--id", "i"],
        ["--exception", "KeyError"],
        ["--older-than", "1h"],
        ["--tenant", "t1", "--class", "unknown"],
    ):
        assert dlq(bench, "redrive", *filters)[1]["redriven"] == 0
    assert dlq(bench, "redrive", "--tenant", "t1", "--exception", "RejectedError")[1]["redriven"] == 1
    assert dlq(bench, "redrive", "--key", first.idempotency_key)[1]["redriven"] == 1
    assert dlq(bench, "redrive", "--group", "t2#2026-11", "--younger-than", "1h")[1]["redriven"] == 2


def test_killed_twice_a_third_run_finishes_and_nothing_is_lost_doubled_or_out_of_order(
    bench: Bench, dlq: Dlq
) -> None:
    tenants = [f"t{number}" for number in range(10)]
    letters = []
    for number in range(20):
        kind = TRANSIENT if number % 2 else REJECTED
        letters += [(messages(tenant, range(number, number + 1))[0], kind) for tenant in tenants]
    bench.bury(letters)
    redrive = ["redrive", "--class", "transient", "--rate", "40", "--hold", "5"]
    for moved in (15, 40):
        process = subprocess.Popen(
            [sys.executable, "-m", "operations.dlq", *bench.arguments, *redrive],
            cwd=REPOSITORY,
            env=bench.environment(),
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + HANG_SECONDS
        while len(bench.letters("")) < moved and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert moved <= len(bench.letters("")) < 100
    status, _ = dlq(bench, "redrive", "--class", "transient", "--patience", "30")
    assert status == 0
    bench.consume()
    for tenant in tenants:
        numbers = range(20)
        assert [who for who in bench.applied if who[0] == tenant] == [
            (tenant, f"e{number:05}") for number in numbers if number % 2
        ]
        assert [who for who in bench.peek() if who[0] == tenant] == [
            (tenant, f"e{number:05}") for number in numbers if number % 2 == 0
        ]
    assert len(bench.applied) == len(bench.peek()) == 100


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_ends_a_redrive_leaves_nothing_hidden_and_is_told_how_far_it_came(
    make: Make, ending: signal.Signals
) -> None:
    bench = make(suffix="")
    bench.bury([(message, TRANSIENT) for message in messages("t1", range(40))])
    process = subprocess.Popen(
        [sys.executable, "-m", "operations.dlq", *bench.arguments, "redrive", "--rate", "20"],
        cwd=REPOSITORY,
        env=bench.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + HANG_SECONDS
    while len(bench.letters("")) < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(ending)
    _, told = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 130
    assert "put back until then." in told
    assert "interrupted; nothing is lost" in told
    assert hidden(bench) == 0
    assert 5 <= len(bench.letters("")) < 40
    everybody = set(bench.peek()) | set(bench.peek(""))
    assert everybody == {("t1", f"e{number:05}") for number in range(40)}


def test_a_halted_group_is_released_in_order_once_its_cause_is_mended(make: Make, dlq: Dlq) -> None:
    bench = make(halts=True)
    broken = {"e00001"}
    bench.failing = lambda m: RejectedError("rule") if m.employee_id in broken else None
    bench.send(*messages("t1", range(14)), *messages("t2", range(2)))
    bench.consume()
    assert bench.applied == [("t1", "e00000"), ("t2", "e00000")]
    status, found = dlq(bench, "inspect")
    assert found["halted_groups"] == ["t1#2026-11", "t2#2026-11"]
    status, found = dlq(bench, "redrive", "--yes")
    assert status == 2
    assert "release GROUP" in found["error"]

    with pytest.MonkeyPatch.context() as patched:
        # The consumer runs whenever the operator waits.
        def sleep(_self: object, _seconds: float) -> None:
            bench.consume()

        patched.setattr("job_runtime.clock.SystemClock.sleep", sleep)
        status, found = dlq(bench, "release", "t1#2026-11", "--patience", "5")
        assert (status, found["released"]) == (1, [])
        assert found["still_halted"] == {"t1#2026-11": "rejected: rule"}
        broken.clear()
        bench.send(*messages("t1", range(14, 16)))
        status, found = dlq(bench, "release", "--all", "--patience", "20")
    assert (status, found["still_halted"]) == (0, {})
    bench.consume()
    assert [who for who in bench.applied if who[0] == "t1"] == [("t1", f"e{n:05}") for n in range(16)]
    assert [who for who in bench.applied if who[0] == "t2"] == [("t2", f"e{n:05}") for n in range(2)]
    assert bench.letters() == []


def test_a_purge_asks_for_the_name_archives_and_tells_the_audit_why(
    bench: Bench, dlq: Dlq, archive: Path
) -> None:
    bench.bury(
        [(m, REJECTED) for m in messages("t1", range(12))]
        + [(m, TRANSIENT) for m in messages("t2", range(2))]
    )
    what = ["purge", "--class", "rejected", "--archive", str(archive), "--reason", "left the company"]
    status, found = dlq(bench, *what)
    assert status == 2
    assert "no terminal to ask on" in found["error"]
    status, found = dlq(bench, *what, "--confirm", "another")
    assert status == 2
    assert len(bench.letters()) == 14
    status, found = dlq(bench, *what, "--confirm", f"{bench.name}-dlq.fifo")
    assert (status, found["purged"], found["left"]) == (0, 12, 2)
    assert {who[0] for who in bench.peek()} == {"t2"}
    kept = [json.loads(line) for line in archive.read_text(encoding="utf-8").splitlines()]
    assert [json.loads(letter["body"])["employee_id"] for letter in kept] == [f"e{n:05}" for n in range(12)]
    assert archive.stat().st_mode & 0o077 == 0
    rows = bench.dynamodb.query(
        TableName=bench.table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": "written-off#charge"}},
    )["Items"]
    assert len(rows) == 12
    assert {row["reason"]["S"] for row in rows} == {"left the company"}
    assert hidden(bench) == 0


def test_a_purge_says_what_it_could_not_reach_and_does_not_call_that_done(
    bench: Bench, dlq: Dlq, archive: Path
) -> None:
    bench.bury([(m, TRANSIENT if n < 10 else REJECTED) for n, m in enumerate(messages("t1", range(12)))])
    what = ["purge", "--class", "rejected", "--archive", str(archive), "--reason", "r"]
    status, found = dlq(bench, *what, "--confirm", f"{bench.name}-dlq.fifo")
    assert (status, found["purged"], found["kept"], found["unseen"]) == (1, 0, 10, 2)
    assert hidden(bench) == 0


def test_a_purge_that_cannot_go_on_says_how_far_it_came(
    make: Make, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = make(suffix="")
    bench.bury([(m, REJECTED) for m in messages("t1", range(25))])
    keep = FileArchive.keep

    def full_after_ten(self: FileArchive, letters: Sequence[DeadLetter]) -> None:
        if len(bench.letters()) < 25:
            raise OSError(28, "No space left on device", str(archive))
        keep(self, letters)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FileArchive, "keep", full_after_ten)
        what = ["purge", "--all", "--archive", str(archive), "--reason", "r"]
        status = main([*bench.arguments, *what, "--confirm", f"{bench.name}-dlq"])
    assert status == 1
    left = len(bench.letters())
    told = capsys.readouterr().err
    assert f"{25 - left} archived and purged until then." in told
    assert "No space left on device; what it has not taken stays" in told
    assert len(archive.read_text(encoding="utf-8").splitlines()) == 25 - left == 10
    assert hidden(bench) == 0


def test_what_cannot_be_archived_is_not_purged(bench: Bench, dlq: Dlq, tmp_path: Path) -> None:
    bench.bury([(m, REJECTED) for m in messages("t1", range(3))])
    status, found = dlq(
        bench,
        "purge",
        "--all",
        "--archive",
        str(tmp_path / "no" / "folder"),
        "--reason",
        "r",
        "--confirm",
        f"{bench.name}-dlq.fifo",
    )
    assert status == 1
    assert "what it has not taken stays" in found["error"]
    assert len(bench.letters()) == 3
    assert hidden(bench) == 0


def test_a_bucket_takes_the_archive_too(bench: Bench, dlq: Dlq) -> None:
    s3 = bench.aws.client("s3")
    s3.create_bucket(
        Bucket=f"{bench.name}-archive", CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"}
    )
    bench.bury([(m, REJECTED) for m in messages("t1", range(3))])
    status, _ = dlq(
        bench,
        "purge",
        "--all",
        "--archive",
        f"s3://{bench.name}-archive/2026/",
        "--reason",
        "r",
        "--confirm",
        f"{bench.name}-dlq.fifo",
    )
    assert status == 0
    keys = [item["Key"] for item in s3.list_objects_v2(Bucket=f"{bench.name}-archive")["Contents"]]
    assert len(keys) == 3
    assert all(key.startswith("2026/") and key.endswith(".json") for key in keys)


def test_a_halted_group_goes_on_after_its_head_is_written_off(make: Make, dlq: Dlq, archive: Path) -> None:
    bench = make(halts=True)
    bench.failing = lambda m: RejectedError("rule") if m.employee_id == "e00001" else None
    bench.send(*messages("t1", range(5)))
    bench.consume()
    confirmed = ["--archive", str(archive), "--reason", "r", "--confirm", f"{bench.name}-dlq.fifo"]
    key = messages("t1", range(2, 3))[0].idempotency_key
    status, found = dlq(bench, "purge", "--key", key, *confirmed)
    assert (status, found["purged"], found["waiting"]) == (1, 0, 1)
    key = messages("t1", range(1, 2))[0].idempotency_key
    assert dlq(bench, "purge", "--key", key, *confirmed)[1]["purged"] == 1
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("job_runtime.clock.SystemClock.sleep", lambda _self, _seconds: bench.consume())
        status, _ = dlq(bench, "release", "--all", "--patience", "20")
    assert status == 0
    assert bench.applied == [("t1", f"e{number:05}") for number in (0, 2, 3, 4)]


def test_a_halt_whose_messages_are_gone_is_given_up_with_a_reason_only(make: Make, dlq: Dlq) -> None:
    bench = make(halts=True)
    bench.failing = lambda _message: RejectedError("rule")
    bench.send(*messages("t1", range(2)))
    bench.consume()
    bench.sqs.purge_queue(QueueUrl=bench.dlq_url)
    assert dlq(bench, "inspect")[1]["halted_groups"] == ["t1#2026-11"]
    status, found = dlq(bench, "release", "t1#2026-11", "--patience", "1")
    assert (status, found["released"]) == (1, [])
    assert "--give-up REASON" in found["still_halted"]["t1#2026-11"]
    status, found = dlq(bench, "release", "t1#2026-11", "--patience", "1", "--give-up", "deleted by hand")
    assert (status, found["released"]) == (0, ["t1#2026-11"])
    key = {"pk": {"S": "written-off#charge"}, "sk": {"S": "none#t1#2026-11"}}
    assert bench.dynamodb.get_item(TableName=bench.table, Key=key)["Item"]["reason"]["S"] == "deleted by hand"
    status, found = dlq(bench, "release", "t1#2026-11")
    assert status == 2
    assert "neither halted nor in the dead-letter queue: t1#2026-11" in found["error"]


def test_a_release_is_told_which_groups(make: Make, dlq: Dlq) -> None:
    bench = make(halts=True)
    for wrong in (["release"], ["release", "g", "--all"]):
        assert dlq(bench, *wrong)[0] == 2
    going_on = make()
    status, found = dlq(going_on, "release", "--all")
    assert status == 2
    assert "halts no groups" in found["error"]


def test_the_environment_and_the_address_must_belong_together(
    bench: Bench, dlq: Dlq, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [*bench.arguments]
    bench_arguments = [argument if argument != "local" else "prod" for argument in arguments]
    monkeypatch.setattr(Bench, "arguments", bench_arguments)
    status, found = dlq(bench, "inspect")
    assert status == 2
    assert "AWS_ENDPOINT_URL is on this machine" in found["error"]


def test_a_job_that_is_not_there_is_one_clear_line(bench: Bench, dlq: Dlq) -> None:
    bench.name = "gone"
    status, found = dlq(bench, "inspect")
    assert status == 2
    (line,) = found["error"].splitlines()
    assert "gone-consumer: there is no such function in ap-northeast-1" in line
