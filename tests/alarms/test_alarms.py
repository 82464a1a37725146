"""Every alarm sees the trouble that it is for, where AWS documents that it shows, and sees it end."""

import pytest
from rich.console import Console

from tests.alarms.conftest import Stage
from tests.alarms.documented import IDS
from tests.alarms.proof import Proof, Trial, table, trials

pytestmark = [pytest.mark.emulator, pytest.mark.terraform]


@pytest.fixture(scope="module")
def proven(stage: Stage) -> list[Trial]:
    of_all = trials(stage.watched, stage.alarms)
    Proof(stage.aws, of_all).run()
    Console(width=180).print(table(of_all))
    return of_all


def test_the_whole_catalogue_is_documented(stage: Stage) -> None:
    assert sorted(stage.ids) == sorted(IDS)


def test_every_alarm_fires_and_recovers(proven: list[Trial]) -> None:
    assert [(trial.key, trial.fired, trial.recovered) for trial in proven if not trial.proven] == []
