"""What the command refuses before it asks AWS, and whom it asks before it changes something."""

import io
from datetime import timedelta
from typing import Any

import pytest
from rich.console import Console

from job_runtime.config import ConfigurationError
from operations.caller import Caller, check_local
from operations.confirm import ask
from operations.dlq import confirm
from operations.dlq.__main__ import main
from operations.dlq.arguments import parser, selection
from operations.dlq.target import Target, find
from operations.outcome import Exit, RefusedError

HEAD = ["--env", "local", "--job", "charge"]


def target(environment: str = "prod", **more: Any) -> Target:
    given: dict[str, Any] = {"halts": False, "table": "jobs", **more}
    return Target(
        environment, "charge", "https://sqs/1/charge.fifo", "https://sqs/1/charge-dlq.fifo", **given
    )


def console(typed: str | None = None, monkeypatch: pytest.MonkeyPatch | None = None) -> Console:
    """A terminal at which somebody types, or, without, a pipe."""
    if typed is not None and monkeypatch:
        monkeypatch.setattr("builtins.input", lambda *_: typed)
        monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    return Console(file=io.StringIO(), force_terminal=typed is not None)


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("90s", timedelta(seconds=90)),
        ("15m", timedelta(minutes=15)),
        ("2h", timedelta(hours=2)),
        ("3d", timedelta(days=3)),
    ],
)
def test_an_age_is_a_number_and_a_unit(text: str, age: timedelta) -> None:
    given = parser().parse_args([*HEAD, "redrive", "--older-than", text])
    assert selection(given).older_than == age


@pytest.mark.parametrize(
    "wrong",
    [
        ["redrive", "--older-than", "2 hours"],
        ["redrive", "--older-than", "h"],
        ["redrive", "--rate", "0"],
        ["redrive", "--rate", "fast"],
        ["redrive", "--limit", "-1"],
        ["redrive", "--class", "bad"],
        ["redrive", "--class", "superseded"],
        ["purge"],
        ["purge", "--archive", "a"],
        [],
    ],
)
def test_wrong_use_ends_with_status_2_and_changes_nothing(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([*HEAD, *wrong])
    assert ended.value.code == Exit.REFUSED
    assert "make dlq" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["before", "after"])
def test_what_is_common_may_stand_before_or_after_the_command(place: str) -> None:
    common = ["--json", "--yes"]
    given = parser().parse_args(
        [*HEAD, *common, "inspect"] if place == "before" else [*HEAD, "inspect", *common]
    )
    assert (given.json, given.yes) == (True, True)


def test_filters_become_a_selection_and_none_means_all() -> None:
    given = parser().parse_args([*HEAD, "redrive"])
    assert selection(given).is_all
    given = parser().parse_args(
        [*HEAD, "redrive", "--class", "transient", "--class", "unknown", "--tenant", "t"]
    )
    assert selection(given).classes == {"transient", "unknown"}
    assert selection(given).tenants == {"t"}
    assert not selection(given).is_by_group
    assert selection(parser().parse_args([*HEAD, "redrive", "--group", "g"])).is_by_group


def test_local_is_not_taken_for_aws_nor_aws_for_local(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RefusedError, match="make demo KEEP=1"):
        check_local("local")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
    check_local("local")
    with pytest.raises(RefusedError, match="on this machine"):
        check_local("prod")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://vpce.example.com")
    check_local("prod")


def test_production_is_changed_when_its_name_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    ask(console("prod", monkeypatch), "prod", "Redrive", yes=False)
    with pytest.raises(RefusedError, match="nothing was changed"):
        ask(console("yes", monkeypatch), "prod", "Redrive", yes=False)


def test_an_answer_from_a_pipe_and_an_end_of_input_confirm_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    piped = console("prod", monkeypatch)
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    with pytest.raises(RefusedError, match="write --yes"):
        ask(piped, "prod", "Redrive", yes=False)

    def end(*_: object) -> str:
        raise EOFError

    asked = console("prod", monkeypatch)
    monkeypatch.setattr("builtins.input", end)
    with pytest.raises(RefusedError, match="not confirmed"):
        ask(asked, "prod", "Redrive", yes=False)


def test_nobody_is_asked_without_a_terminal() -> None:
    with pytest.raises(RefusedError, match="write --yes"):
        ask(console(), "prod", "Redrive", yes=False)
    ask(console(), "prod", "Redrive", yes=True)
    ask(console(), "dev", "Redrive", yes=False)


def test_a_purge_is_confirmed_by_the_queues_name_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    local = target("local")
    confirm.ask_for_name(console("charge-dlq.fifo", monkeypatch), local, "Purge", None)
    confirm.ask_for_name(console(), local, "Purge", "charge-dlq.fifo")
    for given in (None, "charge.fifo"):
        with pytest.raises(RefusedError):
            confirm.ask_for_name(console(), local, "Purge", given)


def test_credentials_and_place_are_shown() -> None:
    shown = console()
    confirm.show(
        shown, Caller("111122223333", "arn:aws:iam::111122223333:user/ops", "eu-west-1", None), target()
    )
    text = shown.file.getvalue().replace("\n", " ")  # type: ignore[attr-defined]
    for part in ("prod / charge", "charge-dlq.fifo", "AWS eu-west-1", "111122223333", "user/ops"):
        assert part in text


class Functions:
    """Lambda, with one function's environment."""

    def __init__(self, environment: dict[str, Any]) -> None:
        self._environment = environment
        self.asked = ""

    def get_function_configuration(self, *, FunctionName: str) -> dict[str, Any]:  # noqa: N803
        self.asked = FunctionName
        return {"Environment": self._environment}


VARIABLES = {
    "JOB_NAME": "charge",
    "JOB_TABLE": "jobs",
    "QUEUE_URL": "https://sqs/1/charge.fifo",
    "DLQ_URL": "https://sqs/1/charge-dlq.fifo",
    "ON_QUARANTINE": "halt-group",
}


def test_the_deployed_consumer_says_where_its_queues_are() -> None:
    client: Any = Functions({"Variables": VARIABLES})
    assert find(client, "prod", "charge", None) == target(halts=True)
    assert client.asked == "fanout-prod-charge-consumer"
    find(client, "prod", "charge", "another")
    assert client.asked == "another"


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"Error": {"ErrorCode": "AccessDeniedException"}}, "kms:Decrypt"),
        ({"Variables": {**VARIABLES, "JOB_NAME": "co2"}}, "--function"),
        ({"Variables": {"JOB_NAME": "charge"}}, "QUEUE_URL"),
        ({}, "JOB_NAME"),
    ],
)
def test_a_function_that_is_no_consumer_of_the_job_is_refused(
    environment: dict[str, Any], named: str
) -> None:
    client: Any = Functions(environment)
    with pytest.raises((RefusedError, ConfigurationError), match=named):
        find(client, "prod", "charge", None)


@pytest.mark.parametrize(
    ("option", "named"), [("--env", "../prod"), ("--env", ""), ("--job", ""), ("--job", "charge co2")]
)
def test_names_of_environments_and_jobs_are_names(
    capsys: pytest.CaptureFixture[str], option: str, named: str
) -> None:
    assert main([*HEAD, option, named, "inspect"]) is Exit.REFUSED
    assert capsys.readouterr().err.startswith(f"dlq: {option}: 1 to 64 letters")


def test_what_is_refused_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*HEAD, "inspect"]) == Exit.REFUSED
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("dlq: --env local: AWS_ENDPOINT_URL")
