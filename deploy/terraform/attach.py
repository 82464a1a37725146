"""The environment in which Terraform uses the stand-in provider, and where it must not."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

SHARED_ENVIRONMENTS = frozenset({"dev", "stg", "prod"})
CHANGING_COMMANDS = frozenset({"apply", "destroy", "import"})


class Refused(Exception):  # noqa: N818 - it names what happened
    """The stand-in does not do what it was asked to do."""


@contextmanager
def stand_in(environment: Mapping[str, str] = os.environ) -> Iterator[dict[str, str]]:
    """Serve the stand-in for hashicorp/aws from this process; yields variables for Terraform's environment.

    The server ends with the block. A CLI configuration of the user (mirrors, credentials, development
    overrides) plays no part: an empty one is named instead. The provider runs in this process and not below
    Terraform, so that it looks for credentials and region in `environment`, not in Terraform's.
    """
    from local.provider.server import serve  # noqa: PLC0415 - gRPC is loaded only where a provider is served

    with tempfile.TemporaryDirectory(prefix="terraform-") as folder:
        configuration = Path(folder, "terraform.rc")
        configuration.touch()
        with serve(environment) as reattach:
            yield {
                **reattach,
                "CHECKPOINT_DISABLE": "1",
                "TF_CLI_CONFIG_FILE": str(configuration),
                "TF_IN_AUTOMATION": "1",
            }


def working_directory(arguments: Sequence[str], start: Path) -> Path:
    """The directory that Terraform works in when it is started in `start` with `arguments`."""
    for argument in arguments:
        if not argument.startswith("-"):
            break
        option, _, value = argument.lstrip("-").partition("=")
        if option == "chdir":
            return (start / value).resolve()
    return start.resolve()


def refuse_shared_environment(arguments: Sequence[str], start: Path) -> None:
    """Raise Refused when `arguments` would change `envs/dev`, `envs/stg` or `envs/prod`."""
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    directory = working_directory(arguments, start)
    if command not in CHANGING_COMMANDS or directory.name not in SHARED_ENVIRONMENTS:
        return
    if directory.parent.name == "envs":
        raise Refused(
            f"terraform {command} in envs/{directory.name} is refused: the stand-in serves local runs only; "
            "use --provider registry, which is the genuine hashicorp/aws"
        )
