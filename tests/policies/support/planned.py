"""Plans that Terraform makes of a root of these tests, on an empty state."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deploy.plan import PlanFiles
from deploy.terraform import Terraform, stand_in

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "ap-northeast-1",
}


def planned(root: Path, folder: Path, **variables: str) -> Path:
    """The first plan of `root` as JSON, in `folder`; `variables` are the root's."""
    given = {**CREDENTIALS, **{f"TF_VAR_{name}": value for name, value in variables.items()}}
    with pytest.MonkeyPatch.context() as patched, stand_in({**os.environ, **given}) as environment:
        for name, value in given.items():
            patched.setenv(name, value)
        # A state of its own: workers that plan the same root would wait for each other's lock.
        terraform = Terraform(
            root, environment, data_dir=folder / "terraform", state=folder / "terraform.tfstate"
        )
        terraform.init()
        files = PlanFiles.of(folder, "plan")
        files.make(terraform)
    return files.text
