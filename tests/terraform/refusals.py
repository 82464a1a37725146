"""Which rule each refusing test run breaks: the runs are let fail, and Terraform's words are read.

`expect_failures` names a variable or a resource, not the rule; a run that breaks another rule of the same
variable, or one that every run breaks, passes. So each refusing run is taken alone, without its expectation.
"""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from tests.terraform.modules import MODULES, Module, Rule

_RULE_AT = re.compile(r"validation rule at (?P<file>[\w./-]+):(?P<line>\d+),")
_BLOCK = re.compile(r'^run "(?P<name>[^"]+)" \{\n.*?^\}\n', re.MULTILINE | re.DOTALL)
_EXPECTATION = re.compile(r"^  expect_failures = \[.*\]\n", re.MULTILINE)


def split(module: Path) -> None:
    """Rewrite a copied module's tests: a file for each refusing run, without its expectation."""
    for file in sorted(module.glob("tests/*.tftest.hcl")):
        text = file.read_text(encoding="utf-8")
        head = text[: text.index('\nrun "')]
        for block in _BLOCK.finditer(text):
            run, found = _EXPECTATION.subn("", block.group(0))
            if found:
                alone = file.with_name(f"{block['name']}.tftest.hcl")
                alone.write_text(f"{head}\n{run}", encoding="utf-8")
        file.unlink()


def broken_rules(
    module: Module, folder: Path, terraform: Callable[..., subprocess.CompletedProcess[str]]
) -> dict[str, set[Rule]]:
    """The rules that each refusing run of the module breaks, by the run's name. `folder` takes a copy."""
    shutil.copytree(MODULES, folder / "modules")
    copy = folder / "modules" / module.name
    split(copy)
    broken: dict[str, set[Rule]] = defaultdict(set)
    for line in terraform(copy, "test", "-json").stdout.splitlines():
        event = json.loads(line)
        if event["type"] != "diagnostic" or event["diagnostic"]["severity"] != "error":
            continue
        diagnostic = event["diagnostic"]
        name = event["@testrun"]
        if at := _RULE_AT.search(diagnostic["detail"]):
            broken[name].add(Rule(at["file"], int(at["line"])))
        elif "condition failed" in diagnostic["summary"]:
            place = diagnostic["range"]
            broken[name].add(Rule(place["filename"], place["start"]["line"] - 1))
        else:
            raise AssertionError(f"{module.name}: {name}: {diagnostic['summary']}: {diagnostic['detail']}")
    return dict(broken)
