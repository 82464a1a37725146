"""Each example under `modules/*/examples/` plans, and each fragment that a document shows, in its call."""

import os
import shutil
from pathlib import Path

import pytest

from tests.terraform.conftest import DIST, PACKAGE, Run
from tests.terraform.modules import MODULES, REPOSITORY, Module, bare, read_hcl
from tests.terraform.snippets import FILES, FRAGMENTS, Snippet

pytestmark = pytest.mark.terraform
EXAMPLES = [folder for module in Module.all() for folder in module.examples.values()]

_TEST = """
mock_provider "aws" {{
  source = "{mocks}"
}}

variables {{
{values}
}}

run "example_plans" {{
  command = plan
}}
"""


def values_of(example: Path) -> dict[str, str]:
    """What an example has to be given: a package, or the folder of all of them."""
    known = {"package": str(PACKAGE), "dist": str(DIST), "cluster": "prod", "service": "consumer"}
    names = {
        bare(name)
        for file in example.glob("*.tf")
        for entry in read_hcl(file).get("variable", [])
        for name in entry
    }
    return {name: known[name] for name in sorted(names)}


def plans_with_mocks(root: Path, terraform: Run) -> None:
    """Fail unless the plan of ROOT succeeds with a mocked provider."""
    values = "\n".join(f'  {name} = "{value}"' for name, value in values_of(root).items())
    text = _TEST.format(mocks=os.path.relpath(MODULES / "testing", root), values=values)
    (root / "example.tftest.hcl").write_text(text, encoding="utf-8")

    done = terraform(root, "test", "-no-color")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Success! 1 passed, 0 failed" in done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda folder: f"{folder.parents[1].name}/{folder.name}")
def test_example_plans(example: Path, terraform: Run, tmp_path: Path) -> None:
    shutil.copytree(MODULES, tmp_path / "modules")
    plans_with_mocks(tmp_path / "modules" / example.relative_to(MODULES), terraform)


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=str)
def test_fragment_plans_in_its_call(fragment: Snippet, terraform: Run, tmp_path: Path) -> None:
    fragment.write(tmp_path, os.path.relpath(MODULES, tmp_path))
    plans_with_mocks(tmp_path, terraform)


@pytest.mark.parametrize("snippet", FILES, ids=str)
def test_file_of_a_root_is_valid_in_it(snippet: Snippet, terraform: Run, tmp_path: Path) -> None:
    assert snippet.file_of is not None
    environment, name = snippet.file_of
    for folder in ("modules", f"envs/{environment}"):
        left = shutil.ignore_patterns(".terraform*")
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=left)
    root = tmp_path / "envs" / environment
    (root / name).write_text(snippet.code, encoding="utf-8")

    done = terraform(root, "validate", "-no-color")

    assert done.returncode == 0, done.stdout + done.stderr
