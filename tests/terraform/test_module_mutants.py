"""A module's own tests notice a grant or a condition that is missing, an action too wide, a setting lost."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deploy.terraform import terraform_command
from tests.terraform.conftest import Record
from tests.terraform.modules import MODULES, Module
from tests.terraform.mutants import Mutant, mutants

pytestmark = pytest.mark.terraform

MOST = 12  # of a module, drawn by its name: a module's tests take seconds
COPIES = 2
PLANNED = "tests/planned.tftest.hcl"

# What `terraform test` says of a test that does not hold. All else is Terraform that refuses the mutant.
NOTICED = {
    "Test assertion failed",
    "Missing expected failure",
    "Invalid condition run",
    "Invalid error message",
    "Unknown condition value",
    "Unsupported attribute",
}


class Copy:
    """A copy of the modules in which one of them can be changed and tested."""

    def __init__(self, module: Module, folder: Path, environment: Mapping[str, str]) -> None:
        shutil.copytree(MODULES, folder / "modules")
        self.path = folder / "modules" / module.name
        self.environment = {**os.environ, **environment, "TF_DATA_DIR": str(folder / "data")}
        done = self._run("init", "-backend=false", "-input=false")
        assert done.returncode == 0, done.stderr

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*terraform_command(), *arguments],
            cwd=self.path,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def verdict(self, mutant: Mutant) -> str | None:
        """The first summary of what the tests say against the mutant; None when they pass."""
        file = self.path / mutant.file
        own = file.read_text(encoding="utf-8")
        file.write_text(mutant.text, encoding="utf-8")
        try:
            # The one file first that sees most: the others are asked only of what it lets pass.
            return self._told(f"-filter={PLANNED}") or self._told()
        finally:
            file.write_text(own, encoding="utf-8")

    def _told(self, *options: str) -> str | None:
        done = self._run("test", "-json", *options)
        if done.returncode == 0:
            return None
        events = [json.loads(line) for line in done.stdout.splitlines()]
        told: list[str] = [
            event["diagnostic"]["summary"] for event in events if event["type"] == "diagnostic"
        ]
        return next((summary for summary in told if summary in NOTICED), told[0])


def _verdicts(copy: Copy, tried: Sequence[Mutant]) -> list[str | None]:
    return [copy.verdict(mutant) for mutant in tried]


def drawn(module: Module) -> list[Mutant]:
    """All mutants of the module, or as many as there is time for; the same ones each time."""
    found = mutants(module)
    return random.Random(module.name).sample(found, MOST) if len(found) > MOST else found


MUTATED = [module for module in Module.all() if mutants(module)]


def test_there_are_mutants_of_every_kind() -> None:
    whats = [mutant.what.partition(": ")[2] for module in MUTATED for mutant in mutants(module)]

    assert len(whats) >= 200
    for kind in ("no statement", "no condition", "StringNotEquals turned round", "sqs:*", "kms:*", "no tags"):
        assert kind in whats


@pytest.mark.parametrize("module", MUTATED, ids=lambda module: module.name)
def test_own_tests_notice_each_mutant(
    module: Module, provider: dict[str, str], tmp_path: Path, record_property: Record
) -> None:
    tried = drawn(module)
    copies = [Copy(module, tmp_path / str(number), provider) for number in range(COPIES)]
    with ThreadPoolExecutor(COPIES) as workers:
        shares = [tried[number::COPIES] for number in range(COPIES)]
        told = list(workers.map(_verdicts, copies, shares))

    verdicts = [
        (mutant.what, verdict)
        for share, verdicts in zip(shares, told, strict=True)
        for mutant, verdict in zip(share, verdicts, strict=True)
    ]
    record_property("module", module.name)
    record_property("mutants", sum(verdict in NOTICED for _, verdict in verdicts))
    assert [what for what, verdict in verdicts if verdict is None] == [], "no test of the module fails"
    assert any(verdict in NOTICED for _, verdict in verdicts)
