"""Plans that Terraform makes of a root of these tests, on an empty state."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from deploy.terraform import Terraform, stand_in, terraform_command

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
        terraform = Terraform(root, environment, data_dir=folder / "terraform")
        terraform.init()
        terraform.plan(None, f"-out={folder / 'plan.tfplan'}")
        shown = subprocess.run(
            [*terraform_command(), "show", "-json", str(folder / "plan.tfplan")],
            cwd=root,
            env={**os.environ, **environment, "TF_DATA_DIR": str(folder / "terraform")},
            capture_output=True,
            text=True,
            check=True,
        )
    file = folder / "plan.json"
    file.write_text(shown.stdout, encoding="utf-8")
    return file
