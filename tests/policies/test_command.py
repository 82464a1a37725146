"""`python -m policies` as people and pipelines meet it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from policies.report import FORMATS
from policies.rules import RULES
from tests.policies.conftest import PlanFile
from tests.policies.support.cases import hide, put
from tests.policies.support.command import run, write
from tests.support.limits import HANG_SECONDS

Capture = pytest.CaptureFixture[str]
BROKEN = put("queue", visibility_timeout_seconds=60)
HIDDEN = hide("queue", "visibility_timeout_seconds")
REPOSITORY = Path(__file__).parents[2]


def test_clean_plan_ends_with_0(capsys: Capture, plan_file: PlanFile) -> None:
    ended = run(capsys, plan_file())

    assert ended.code == 0
    assert ended.out.startswith("0 findings, 0 undecided, 0 waived;")
    assert ended.err == ""


def test_finding_ends_with_1_and_tells_where_why_and_what_to_write(
    capsys: Capture, plan_file: PlanFile
) -> None:
    ended = run(capsys, plan_file(BROKEN))

    assert ended.code == 1
    for part in (
        "FO301 high A queue hides messages for six times",
        "aws_lambda_event_source_mapping.this: aws_sqs_queue.this hides messages for 60 s",
        "Why: A message that becomes visible",
        "visibility_timeout_seconds = 6 * aws_lambda_function.consumer.timeout",
        "See: https://docs.aws.amazon.com/lambda/",
        "1 findings, 0 undecided",
    ):
        assert part in ended.out


def test_undecided_answers_fail_only_when_strict(capsys: Capture, plan_file: PlanFile) -> None:
    file = plan_file(HIDDEN)

    lenient, strict = run(capsys, file), run(capsys, file, "--strict")
    assert (lenient.code, strict.code) == (0, 1)
    assert "visibility_timeout_seconds is known after the apply only" in lenient.out
    assert "(strict: these fail)" in strict.out


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("1", 1), ("", 0), ("false", 0), ("0", 0)])
def test_strict_is_the_default_in_ci(
    capsys: Capture, plan_file: PlanFile, monkeypatch: pytest.MonkeyPatch, ci: str, code: int
) -> None:
    monkeypatch.setenv("CI", ci)

    assert run(capsys, plan_file(HIDDEN)).code == code
    assert run(capsys, plan_file(HIDDEN), "--no-strict").code == 0


def test_several_plans_are_judged_in_one_run(capsys: Capture, plan_file: PlanFile) -> None:
    files = [plan_file(name="dev.json"), plan_file(BROKEN, name="prod.json")]
    ended = run(capsys, *files, "--format", "json")

    report = json.loads(ended.out)
    assert ended.code == 1
    assert [judged["name"] for judged in report["judged"]] == [str(file) for file in files]
    assert {outcome["plan"] for outcome in report["outcomes"]} == {str(files[1])}


def test_context_answers_what_another_state_holds(
    capsys: Capture, plan_file: PlanFile, tmp_path: Path
) -> None:
    elsewhere = put("mapping", event_source_arn="arn:aws:sqs:ap-northeast-1:111122223333:other.fifo")
    file = plan_file(elsewhere)
    queue = {
        "name": "other.fifo",
        "fifo_queue": True,
        "visibility_timeout_seconds": 30,
        "region": "ap-northeast-1",
    }
    resource = {
        "address": "module.q.aws_sqs_queue.this",
        "mode": "managed",
        "type": "aws_sqs_queue",
        "name": "this",
        "values": queue,
    }
    child = {"address": "module.q", "resources": [resource]}
    state = write(
        tmp_path,
        {"format_version": "1.0", "values": {"root_module": {"child_modules": [child]}}},
        "state.json",
    )

    alone, together = run(capsys, file), run(capsys, file, "--context", state)
    assert "other.fifo, which is not in this plan" in alone.out
    assert "hides messages for 30 s" in together.out
    assert "(context) module.q.aws_sqs_queue.this:" not in together.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("{", "not JSON (line 1"),
        ("[]", "no object"),
        ("null", "no object"),
        ('"plan"', "no object"),
        ("{}", "no resource_changes"),
        ('{"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}', "no resource_changes"),
        ('{"format_version": "1.2", "resource_changes": []}', "no resources"),
        ('{"format_version": "1.2", "planned_values": {}}', "no resources"),
        ('{"format_version": "1.2", "resource_changes": {}}', "not a list"),
        ('{"format_version": "1.2", "resource_changes": [1]}', "resource_changes[0]"),
        ('{"format_version": "1.2", "errored": true, "resource_changes": []}', "errors"),
        ("PK\x03\x04", "Terraform's own format"),
        ("[" * 100_000, "deeply"),
        ('{"format_version": ' + "9" * 5000 + "}", "not JSON that can be read"),
    ],
)
def test_broken_or_foreign_file_gets_one_clear_line(
    capsys: Capture, tmp_path: Path, text: str, says: str
) -> None:
    ended = run(capsys, write(tmp_path, text))

    assert ended.code == 2
    assert ended.out == ""
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_plan_that_only_destroys_is_judged_by_what_it_takes_away(capsys: Capture, tmp_path: Path) -> None:
    change: dict[str, object] = {"actions": ["delete"], "before": {}, "after": None, "after_unknown": {}}
    resource = {
        "address": "aws_sqs_queue.a",
        "mode": "managed",
        "type": "aws_sqs_queue",
        "name": "a",
        "change": change,
    }
    ended = run(capsys, write(tmp_path, {"format_version": "1.2", "resource_changes": [resource]}))

    assert (ended.code, "FO701" in ended.out) == (1, True)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["missing.json"],
        ["--source", "missing"],
        ["plan.json", "--waivers", "missing.toml"],
        ["plan.json", "--context", "missing.json"],
        ["plan.json", "--also", "pdf=report.pdf"],
        ["plan.json", "--also", "sarif"],
        ["plan.json", "--format", "pdf"],
        ["plan.json", "--today", "tomorrow"],
        ["plan.json", "--source", ".", "--source", "."],
        ["plan.json", "--also", "sarif=missing/gate.sarif"],
    ],
    ids=" ".join,
)
def test_wrong_use_ends_with_2_and_says_what_is_wrong(
    capsys: Capture, plan_file: PlanFile, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(plan_file().parent)
    ended = run(capsys, *arguments)

    assert ended.code == 2
    assert ended.err.strip()
    assert "Traceback" not in ended.err


def test_folder_without_terraform_is_refused(capsys: Capture, tmp_path: Path) -> None:
    ended = run(capsys, "--source", tmp_path)
    assert (ended.code, "holds no .tf file" in ended.err) == (2, True)


def test_other_formats_are_written_beside_the_first(
    capsys: Capture, plan_file: PlanFile, tmp_path: Path
) -> None:
    wanted = {kind: tmp_path / f"report.{kind}" for kind in FORMATS}
    also = [word for kind, file in wanted.items() for word in ("--also", f"{kind}={file}")]
    ended = run(capsys, plan_file(BROKEN), *also)

    assert ended.code == 1
    for file in wanted.values():
        assert "FO301" in file.read_text(encoding="utf-8")


def test_rules_are_listed(capsys: Capture) -> None:
    ended = run(capsys, "--list")
    assert (ended.code, ended.out.count("\n")) == (0, len(RULES))


def test_it_runs_as_a_module_without_colour_into_a_pipe_and_survives_a_reader_that_leaves(
    plan_file: PlanFile,
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "policies", str(plan_file(BROKEN))]
    whole = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert whole.returncode == 1
    assert "\x1b[" not in whole.stdout

    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert b"Traceback" not in told


def test_gate_uses_nothing_of_the_functions_or_the_local_part() -> None:
    script = "import sys, policies.__main__; print(*{name.partition('.')[0] for name in sys.modules})"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert not {"functions", "local", "job_runtime", "boto3", "tfparse"} & set(ended.stdout.split())


def test_several_plans_are_named_with_what_is_said_of_them(capsys: Capture, plan_file: PlanFile) -> None:
    files = [plan_file(BROKEN, name="dev.json"), plan_file(HIDDEN, name="prod.json")]

    for kind in ("text", "markdown"):
        out = run(capsys, *files, "--format", kind).out
        (found,) = [line for line in out.splitlines() if "hides messages for 60 s" in line]
        (undecided,) = [line for line in out.splitlines() if "known after the apply only" in line]
        assert "dev.json" in found
        assert "prod.json" in undecided
        assert "dev.json" not in undecided


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"format_version": "1.0", "values": {"root_module": {"resources": []}}}, "a state, not a plan;"),
        (None, "a folder, not a plan;"),
    ],
)
def test_what_is_often_taken_for_a_plan_is_called_by_its_name(
    capsys: Capture, tmp_path: Path, document: object, says: str
) -> None:
    ended = run(capsys, tmp_path if document is None else write(tmp_path, document))
    assert ended.code == 2
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_a_day_that_is_none_is_answered_with_one_that_is(capsys: Capture, plan_file: PlanFile) -> None:
    ended = run(capsys, plan_file(), "--today", "yesterday")
    assert ended.code == 2
    assert "yesterday is no date; write one such as" in ended.err


def test_an_interrupt_is_one_line_and_no_traceback(tmp_path: Path) -> None:
    pipe = tmp_path / "plan.json"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, "-m", "policies", str(pipe)], cwd=REPOSITORY, stderr=subprocess.PIPE, text=True
    )
    # The reader of a pipe is there as soon as its writer can open it; it then waits for what never comes.
    with pipe.open("wb"):
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 130
    assert told == "policies: interrupted; nothing was judged to its end\n"
