"""Waivers hold with a reason, an owner and a day, until that day."""

import json
from pathlib import Path

import pytest

from tests.policies.conftest import PlanFile
from tests.policies.support.cases import hide, put
from tests.policies.support.command import Ended, run, write

Capture = pytest.CaptureFixture[str]
BROKEN = put("queue", visibility_timeout_seconds=60)
GOOD = {
    "rule": '"FO301"',
    "address": '"aws_lambda_event_source_mapping.*"',
    "reason": '"Messages take two seconds; measured in March."',
    "owner": '"team-billing"',
    "expires": "2027-03-31",
}


def toml(**changes: str | None) -> str:
    fields = {name: value for name, value in {**GOOD, **changes}.items() if value is not None}
    return "[[waiver]]\n" + "".join(f"{name} = {value}\n" for name, value in fields.items())


def judge(capsys: Capture, plan: Path, folder: Path, text: str, *more: str) -> Ended:
    waivers = write(folder, text, "waivers.toml")
    return run(capsys, plan, "--waivers", waivers, "--today", "2027-03-31", *more)


def test_waiver_covers_its_finding_and_is_shown(capsys: Capture, plan_file: PlanFile, tmp_path: Path) -> None:
    ended = judge(capsys, plan_file(BROKEN), tmp_path, toml())

    assert ended.code == 0
    assert "Messages take two seconds; measured in March. (team-billing, until 2027-03-31)" in ended.out
    assert "1 waived" in ended.out


def test_waiver_covers_an_undecided_answer_too(capsys: Capture, plan_file: PlanFile, tmp_path: Path) -> None:
    plan = plan_file(hide("queue", "visibility_timeout_seconds"))
    assert run(capsys, plan, "--strict").code == 1
    assert judge(capsys, plan, tmp_path, toml(), "--strict").code == 0


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"reason": None}, "no reason"),
        ({"reason": '"  "'}, "no reason"),
        ({"owner": None}, "no owner"),
        ({"address": None}, "no address"),
        ({"rule": None}, "no rule"),
        ({"rule": '"FO31"'}, "there is no rule FO31"),
        ({"expires": None}, "no date"),
        ({"expires": '"2027-03-31"'}, "no date"),
        ({"expires": "2027-03-31T10:00:00"}, "no date"),
        ({"expires": "2027-03-30"}, "expired on 2027-03-30"),
        ({"until": '"ever"'}, "field until"),
    ],
)
def test_waiver_that_is_not_whole_is_red_and_covers_nothing(
    capsys: Capture, plan_file: PlanFile, tmp_path: Path, changes: dict[str, str | None], says: str
) -> None:
    ended = judge(capsys, plan_file(BROKEN), tmp_path, toml(**changes))
    assert ended.code == 1
    assert says in ended.out
    assert "0 waived" in ended.out

    clean = judge(capsys, plan_file(), tmp_path, toml(**changes))
    assert clean.code == 1


def test_unused_waiver_is_reported_and_not_red(capsys: Capture, plan_file: PlanFile, tmp_path: Path) -> None:
    ended = judge(capsys, plan_file(), tmp_path, toml())

    assert ended.code == 0
    assert "covers nothing" in ended.out
    assert json.loads(judge(capsys, plan_file(), tmp_path, toml(), "--format", "json").out)["waivers"][
        "unused"
    ] == [{"rule": "FO301", "address": "aws_lambda_event_source_mapping.*"}]


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("aws_lambda_event_source_mapping.this", 0),
        ("*", 0),
        ("aws_lambda_event_source_mapping.th?s", 0),
        ("aws_lambda_event_source_mapping", 1),
        ("aws_lambda_event_source_mapping.[t]his", 1),
        (".*", 1),
        ("module.x.*", 1),
    ],
)
def test_pattern_is_a_whole_address_with_stars(
    capsys: Capture, plan_file: PlanFile, tmp_path: Path, pattern: str, code: int
) -> None:
    assert judge(capsys, plan_file(BROKEN), tmp_path, toml(address=f"'{pattern}'")).code == code


@pytest.mark.parametrize(
    "text", ["[[waiver]", "waivers = 1", "waiver = 1", '[[waiver]]\nrule = "FO301"\n[other]\na = 1\n']
)
def test_file_that_holds_no_waivers_cannot_be_judged_by(
    capsys: Capture, plan_file: PlanFile, tmp_path: Path, text: str
) -> None:
    ended = judge(capsys, plan_file(), tmp_path, text)
    assert ended.code == 2
    assert "waivers.toml" in ended.err


def test_file_that_is_not_utf_8_cannot_be_judged_by(
    capsys: Capture, plan_file: PlanFile, tmp_path: Path
) -> None:
    file = tmp_path / "waivers.toml"
    file.write_bytes(b"\xff\xfe")
    assert run(capsys, plan_file(), "--waivers", file).code == 2
