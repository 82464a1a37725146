"""Each example under `modules/*/examples/` plans; the READMEs show them."""

import shutil
from pathlib import Path

import pytest

from tests.terraform.conftest import DIST, PACKAGE, Run
from tests.terraform.modules import MODULES, Module, bare, read_hcl

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


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda folder: f"{folder.parents[1].name}/{folder.name}")
def test_example_plans(example: Path, terraform: Run, tmp_path: Path) -> None:
    values = "\n".join(f'  {name} = "{value}"' for name, value in values_of(example).items())
    shutil.copytree(MODULES, tmp_path / "modules")
    copy = tmp_path / "modules" / example.relative_to(MODULES)
    text = _TEST.format(mocks="../../../testing", values=values)
    (copy / "example.tftest.hcl").write_text(text, encoding="utf-8")

    done = terraform(copy, "test", "-no-color")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Success! 1 passed, 0 failed" in done.stdout
