"""The local AWS and Terraform with the stand-in attached, once a session."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from deploy.terraform import Terraform, stand_in
from local.emulator import Emulator

ROOTS = Path(__file__).with_name("roots")


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """The local AWS."""
    with Emulator.start(log=tmp_path_factory.mktemp("emulator") / "log") as emulator:
        yield emulator


@pytest.fixture(scope="session")
def attached() -> Iterator[dict[str, str]]:
    """The environment in which Terraform uses the stand-in."""
    with stand_in() as environment:
        yield environment


@pytest.fixture
def root(
    tmp_path: Path, aws: Emulator, attached: dict[str, str]
) -> Callable[[str, Mapping[str, Any]], Terraform]:
    """A root module made of `provider.tf` and the text given, initialised, against the local AWS."""

    def make(text: str, variables: Mapping[str, Any] | None = None) -> Terraform:
        shutil.copy(ROOTS / "provider.tf", tmp_path)
        (tmp_path / "main.tf").write_text(text)
        terraform = Terraform(tmp_path, attached, {"endpoint": aws.endpoint, **(variables or {})})
        terraform.init()
        return terraform

    return make
