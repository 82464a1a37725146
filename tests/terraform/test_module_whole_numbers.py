"""Every whole number that a module takes is refused when it is none, in words that name it."""

import json
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from tests.terraform.conftest import Record, Run
from tests.terraform.input_types import InputType, hcl
from tests.terraform.modules import MODULES, Module

pytestmark = pytest.mark.terraform
FRACTIONS = {"threshold", "share"}  # of an alarm: parts of a unit, or of a limit

_RUN = """
run "half" {{
  command = plan

  variables {{
    {name} = {value}
  }}
}}
"""


def numbers(module: Module) -> list[tuple[str, tuple[str, ...]]]:
    """The whole numbers of a module: the input, and where in it."""
    return [
        (given.name, path)
        for given in module.inputs
        for path in InputType.parse(given.type).numbers()
        if not FRACTIONS & {given.name, *path}
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("number", [()]),
        ("optional(list(number), [1, 2])", [("*",)]),
        ('map(object({a = optional(string, "x)"), b = optional(object({c = number}))}))', [("*", "b", "c")]),
    ],
)
def test_numbers_are_found_wherever_they_are(text: str, found: list[tuple[str, ...]]) -> None:
    assert list(InputType.parse(text).numbers()) == found


@pytest.mark.parametrize(
    "module", [module for module in Module.all() if numbers(module)], ids=lambda module: module.name
)
def test_half_a_number_is_refused(
    module: Module, terraform: Run, tmp_path: Path, record_property: Record
) -> None:
    shutil.copytree(MODULES, tmp_path / "modules")
    tests = tmp_path / "modules" / module.name / "tests"
    first = min(tests.glob("*.tftest.hcl")).read_text(encoding="utf-8")
    head = first[: first.index('\nrun "')]
    for file in tests.iterdir():
        file.unlink()
    types = {given.name: InputType.parse(given.type) for given in module.inputs}
    asked = dict(enumerate(numbers(module)))
    for number, (name, path) in asked.items():
        run = _RUN.format(name=name, value=hcl(types[name].holding(1.5, path)))
        (tests / f"half_{number}.tftest.hcl").write_text(f"{head}\n{run}", encoding="utf-8")

    told: dict[str, list[str]] = defaultdict(list)
    for line in terraform(tests.parent, "test", "-json").stdout.splitlines():
        event = json.loads(line)
        if event["type"] == "diagnostic":
            told[event["@testfile"]].append(event["diagnostic"]["detail"])

    silent = [
        ".".join((name, *path))
        for number, (name, path) in asked.items()
        if not any(
            name in words and (path or (name,))[-1] in words and "whole number" in words and "Write" in words
            for words in told[f"tests/half_{number}.tftest.hcl"]
        )
    ]
    record_property("module", module.name)
    record_property("whole numbers", len(asked))
    assert not silent, f"{module.name} takes 1.5 for these, or does not say that they are whole numbers"
