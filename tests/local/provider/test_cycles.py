"""Each resource type through real Terraform: apply, no difference, drift, change, import, destroy."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from deploy.terraform import Terraform
from local.emulator import Emulator
from local.provider.resources import RESOURCES
from tests.local.provider.cycles import CYCLES, Cycle

ROOTS = Path(__file__).with_name("roots")
UNCHANGED = {"add": 0, "change": 0, "import": 0, "remove": 0}
pytestmark = [pytest.mark.terraform, pytest.mark.emulator]


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Lambda package that does nothing."""
    path = tmp_path_factory.mktemp("package") / "function.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("handler.py", "def handler(event, context):\n    return {'batchItemFailures': []}\n")
    return path


class Run:
    """A cycle's root in one working directory, with the actions of its last plan."""

    def __init__(self, directory: Path, env: Mapping[str, str], variables: Mapping[str, Any]) -> None:
        directory.mkdir()
        self.directory, self._env, self._variables = directory, env, variables
        self.actions: dict[str, str] = {}

    def terraform(self, *, changed: bool = False) -> Terraform:
        """The root, in its first or its second form."""
        return Terraform(self.directory, self._env, {**self._variables, "changed": changed})

    def plan(self, *, changed: bool = False) -> dict[str, int]:
        """Plan, and keep the action of each resource that is to change."""
        return self.terraform(changed=changed).plan(self._note())

    def apply(self, *, changed: bool = False) -> dict[str, int]:
        """Apply, and keep the action of each resource that changes."""
        return self.terraform(changed=changed).apply(self._note())

    def _note(self) -> Callable[[Mapping[str, Any]], None]:
        self.actions = {}

        def note(event: Mapping[str, Any]) -> None:
            if event.get("type") == "planned_change" and event["change"]["action"] != "read":
                self.actions[event["change"]["resource"]["addr"]] = event["change"]["action"]

        return note

    def resources(self) -> dict[str, Mapping[str, Any]]:
        """The attributes of each managed resource, by address."""
        shown = self.terraform().show_json()["values"]["root_module"]["resources"]
        return {item["address"]: item["values"] for item in shown if item["mode"] == "managed"}


@pytest.fixture
def start(
    tmp_path: Path, aws: Emulator, attached: dict[str, str], package: Path
) -> Callable[[Cycle, str], Run]:
    """Set up a cycle's root in a directory of its own."""

    def make(cycle: Cycle, name: str) -> Run:
        variables: dict[str, Any] = {"endpoint": aws.endpoint}
        if cycle.root == "lambda":
            variables["package"] = str(package)
        run = Run(tmp_path / name, attached, variables)
        for source in (ROOTS / "provider.tf", ROOTS / cycle.root / "main.tf"):
            shutil.copy(source, run.directory)
        run.terraform().init()
        return run

    return make


@pytest.mark.parametrize("cycle", CYCLES, ids=lambda cycle: cycle.root)
def test_a_type_lives_through_its_cycle(
    cycle: Cycle, start: Callable[[Cycle, str], Run], aws: Emulator
) -> None:
    """One root of several types: they depend on each other, and one start of Terraform serves all."""
    run = start(cycle, "own")
    try:
        run.apply()
        assert run.plan() == UNCHANGED, f"a second plan right after the apply changes {run.actions}"

        resources = run.resources()
        for address, mutate in cycle.drift.items():
            mutate(aws.client, resources[address])
        run.apply()
        assert set(run.actions) >= set(cycle.drift), "a change behind Terraform's back goes unnoticed"
        assert run.plan() == UNCHANGED, f"the drift is not repaired: {run.actions}"

        run.apply(changed=True)
        assert set(run.actions.values()) == {"update"}, f"a change is not made in place: {run.actions}"
        assert len(run.actions) == len(resources) - _untouched(cycle)
        assert run.plan(changed=True) == UNCHANGED, f"an update does not arrive: {run.actions}"

        resources = run.resources()
        imported = start(cycle, "imported")
        _write_imports(imported.directory, cycle, resources)
        summary = imported.plan(changed=True)
        assert (summary["add"], summary["import"], summary["remove"]) == (0, len(resources), 0)
        updated = {address for address, action in imported.actions.items() if action == "update"}
        assert updated == cycle.after_import, "an imported resource differs from its configuration"
    finally:
        run.terraform().destroy()
    assert cycle.left(aws.client) == []


def _untouched(cycle: Cycle) -> int:
    """How many resources of the root do not depend on `changed`."""
    text = (ROOTS / cycle.root / "main.tf").read_text()
    bodies = re.findall(r'^resource "\w+" "\w+" \{\n(.*?)^\}', text, re.M | re.S)
    documents = dict(re.findall(r'^data "aws_iam_policy_document" "(\w+)" \{\n(.*?)^\}', text, re.M | re.S))
    changing = {name for name, body in documents.items() if "var.changed" in body}
    return sum(
        "var.changed" not in body and not any(f"policy_document.{name}.json" in body for name in changing)
        for body in bodies
    )


def _write_imports(directory: Path, cycle: Cycle, resources: Mapping[str, Mapping[str, Any]]) -> None:
    blocks = []
    for address, state in resources.items():
        rule = cycle.import_id.get(address)
        identifier = rule(state) if rule else state["id"]
        blocks.append(f'import {{\n  to = {address}\n  id = "{identifier}"\n}}\n'.replace("$", "$$"))
    (directory / "imports.tf").write_text("\n".join(blocks))


def test_every_implemented_type_has_a_cycle() -> None:
    """A declaration without a cycle would be a claim that nobody checks."""
    written = set()
    for cycle in CYCLES:
        text = (ROOTS / cycle.root / "main.tf").read_text()
        written |= set(re.findall(r'^resource "(\w+)"', text, re.M))
        addresses = {".".join(pair) for pair in re.findall(r'^resource "(\w+)" "(\w+)"', text, re.M)}
        assert set(cycle.drift) <= addresses, cycle.root
    applied = {name for name, declared in RESOURCES.items() if declared.applied}
    assert written == applied
    drifted = {address.split(".")[0] for cycle in CYCLES for address in cycle.drift}
    assert drifted == applied
