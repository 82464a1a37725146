"""An account on the local AWS, a repository whose prod lives in it, and the verbs, run as somebody."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from deploy.__main__ import main
from deploy.offline import OVERRIDES, copied, placed, provider_block
from deploy.terraform import Terraform, stand_in
from local.emulator import Emulator
from local.emulator.process import REGION
from tests.deploy_path.roles import Keys
from tests.support.git import commit

REPOSITORY = Path(__file__).resolve().parents[2]
ACCOUNT = "123456789012"
ROOT = Keys(ACCOUNT, "local", "")
# All of envs/prod/versions.tf stays as it is but for where S3 is.
_BACKEND = """
endpoints                   = {{ s3 = "{endpoint}", sts = "{endpoint}" }}
use_path_style              = true
skip_metadata_api_check     = true
skip_credentials_validation = true
"""


@dataclass(frozen=True)
class Done:
    """What a verb ended with, and all that it said."""

    status: int
    said: str


@dataclass
class Account:
    """`repository` is a work tree with `envs/prod`; everything else lies in `folder`."""

    aws: Emulator
    folder: Path
    repository: Path
    _copies: Iterator[int] = field(default_factory=itertools.count)

    @classmethod
    def empty(cls, aws: Emulator, folder: Path) -> Account:
        """One in which nothing is yet."""
        repository = folder / "repository"
        shutil.copytree(
            REPOSITORY / "envs" / "prod",
            repository / "envs" / "prod",
            ignore=shutil.ignore_patterns(".terraform", "*.tfstate*"),
        )
        (repository / "dist").mkdir()
        for package in (REPOSITORY / "dist").glob("*.zip"):
            (repository / "dist" / package.name).symlink_to(package)
        return cls(aws, folder, repository)

    def client(self, service: str, keys: Keys = ROOT) -> Any:
        """A boto3 client of this account; of its root unless `keys` are somebody else's."""
        arguments = {name: value for name, value in keys.arguments.items() if value}
        return self.aws.client(service, arguments)

    def bootstrap(self, **variables: Any) -> dict[str, Any]:
        """Apply envs/bootstrap as the account's administrator; returns its outputs."""
        folder = self.folder / "bootstrap"
        folder.mkdir()
        with stand_in({}) as environment:
            root = Terraform(
                copied(REPOSITORY / "envs" / "bootstrap", self.aws.endpoint, folder, REPOSITORY / "dist"),
                environment,
                variables,
                data_dir=folder / "terraform",
                state=folder / "terraform.tfstate",
            )
            root.init()
            root.apply()
            return root.output()

    def write(self, old: str, new: str, file: str = "main.tf") -> None:
        """Change a file of envs/prod, and commit it."""
        path = self.repository / "envs" / "prod" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {path}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        commit(self.repository)

    def opened(self, root: Path, environment: dict[str, str]) -> Terraform:
        """What a job has: its own copy of a root, initialised with the backend of the account.

        It lies where the stand-in may apply, and reaches loopback alone.
        """
        folder = self.folder / f"job-{next(self._copies)}"
        folder.mkdir()
        copy = placed(root, folder, self.repository / "dist", "loopback")
        (copy / OVERRIDES).write_text(provider_block(self.aws.endpoint, {}), encoding="utf-8")
        backend = folder / "backend.hcl"
        backend.write_text(_BACKEND.format(endpoint=self.aws.endpoint), encoding="utf-8")
        terraform = Terraform(copy, environment)
        terraform.init(f"-backend-config={backend}")
        return terraform

    @contextmanager
    def acting(self, keys: Keys) -> Iterator[dict[str, str]]:
        """Terraform's environment for somebody's keys, the stand-in among it."""
        own = {**keys.environment, "AWS_REGION": REGION}
        with stand_in(own) as attached:
            yield {**own, **attached}

    def run(self, keys: Keys, *arguments: str, typed: str | None = None) -> Done:
        """A verb as somebody, with nobody at a terminal, or with somebody who types."""
        said = io.StringIO()
        with (
            self.acting(keys) as environment,
            _stdin(typed) as stdin,
            mock.patch.object(sys, "stdin", stdin),
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            status = main(arguments, self.repository, lambda root: self.opened(root, environment))
        return Done(status, said.getvalue())


@contextmanager
def _stdin(typed: str | None) -> Iterator[io.TextIOBase]:
    if typed is None:
        yield io.StringIO()
        return
    here, there = os.openpty()
    with os.fdopen(here, "w", encoding="utf-8") as keyboard, os.fdopen(there, encoding="utf-8") as terminal:
        keyboard.write(typed)
        keyboard.flush()
        yield terminal
