"""This project's own environments, planned on this machine, through its own gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.offline import REPOSITORY, Offline
from deploy.plan import PlanFiles
from policies.judge import Judgement, judge
from policies.plan import read_plan
from policies.source import read_source
from tests.policies.support.judging import lines
from tests.terraform.conftest import DIST

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]

ENVIRONMENTS = ("dev", "stg", "prod")


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The plan of each shared environment, as `make plan OFFLINE=1` writes it."""
    files = {}
    with Offline.start(tmp_path_factory.mktemp("emulator") / "log") as offline:
        for name in ENVIRONMENTS:
            folder = tmp_path_factory.mktemp(name)
            made = PlanFiles.of(folder / "plans", name)
            made.make(offline.root(REPOSITORY / "envs" / name, folder, DIST))
            files[name] = made.text
    return files


@pytest.fixture(scope="module")
def judgements(plans: dict[str, Path]) -> dict[str, Judgement]:
    return {name: judge(read_plan(file)) for name, file in plans.items()}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environment_is_clean_and_nothing_of_it_is_undecided(
    name: str, judgements: dict[str, Judgement]
) -> None:
    assert lines(judgements[name].outcomes) == []


def test_bootstrap_is_clean_in_source() -> None:
    pytest.importorskip(
        "tfparse", reason="source mode runs on tfparse, which the gate's own requirements hold"
    )
    judgement = judge(read_source(REPOSITORY / "envs" / "bootstrap"))
    assert lines(judgement.outcomes) == []
    assert judgement.resources > 10


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_rules_have_had_something_to_judge(name: str, judgements: dict[str, Judgement]) -> None:
    asked = {rule for rule, _ in judgements[name].asked}
    assert judgements[name].resources > 50
    assert {"FO101", "FO201", "FO204", "FO301", "FO302", "FO401", "FO403", "FO408", "FO601", "FO603"} <= asked
    assert {"FO501", "FO503", "FO505", "FO506", "FO509"} <= asked
