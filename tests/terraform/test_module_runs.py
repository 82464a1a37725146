"""`terraform test` of each module, and what its runs cover."""

import re
from pathlib import Path

import pytest

from tests.terraform.conftest import Record, Run
from tests.terraform.modules import Module
from tests.terraform.refusals import broken_rules

pytestmark = pytest.mark.terraform
every_module = pytest.mark.parametrize("module", Module.all(), ids=lambda module: module.name)


@every_module
def test_module_s_own_tests_pass(module: Module, terraform: Run, record_property: Record) -> None:
    done = terraform(module.path, "test", "-no-color")

    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"Success! (\d+) passed, 0 failed", done.stdout)
    assert passed is not None
    assert int(passed[1]) == len(module.runs) > 0
    record_property("module", module.name)
    record_property("runs", len(module.runs))


@every_module
def test_every_rule_has_a_run_that_breaks_it_alone(
    module: Module, terraform: Run, tmp_path: Path, record_property: Record
) -> None:
    refusing = {run.name for run in module.runs if run.refuses}
    broken = broken_rules(module, tmp_path, terraform) if refusing else {}

    assert set(broken) == refusing, "a run expects a failure that does not come from a rule"
    alone = {next(iter(rules)) for rules in broken.values() if len(rules) == 1}
    uncovered = sorted(set(module.rules) - alone)
    record_property("module", module.name)
    record_property("rules", len(module.rules) - len(uncovered))
    record_property("rules without", len(uncovered))
    assert not uncovered, f"no run of {module.name} breaks these and nothing else: {uncovered}"
    assert alone <= set(module.rules)
