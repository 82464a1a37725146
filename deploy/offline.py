"""A root on this machine: its own files, the backend and the provider overridden in a copy.

Override files (`*_override.tf`) are Terraform's own way to say so. The local AWS takes a key of 12 digits for
the root of that account, so a plan is made in the environment's own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.terraform import Terraform, stand_in
from local.emulator import Emulator
from local.provider.engine.aws import ENDPOINT_NAMES

REPOSITORY = Path(__file__).resolve().parents[1]
OVERRIDES = "offline_override.tf"
_BACKEND = """
terraform {
  backend "local" {}
}

"""
_PROVIDER = """\
provider "aws" {{
{own}  skip_metadata_api_check     = true
  skip_credentials_validation = true
  s3_use_path_style           = true

  endpoints {{
{endpoints}
  }}
}}
"""


def provider_block(endpoint: str, arguments: Mapping[str, str]) -> str:
    """The provider as it reaches the local AWS at `endpoint`, as `terraform fmt` writes it.

    `arguments` are further ones, as HCL.
    """
    services = [names[0] for names in ENDPOINT_NAMES.values()]
    widest = max(map(len, services))
    return _PROVIDER.format(
        own="".join(f"  {name:<27} = {value}\n" for name, value in arguments.items()),
        endpoints="\n".join(f'    {service:<{widest}} = "{endpoint}"' for service in services),
    )


def placed(root: Path, folder: Path, dist: Path, beneath: str = "envs") -> Path:
    """Copy a root of `envs/` to `folder/beneath`, with modules and packages (`dist`) where it looks."""
    (folder / "modules").symlink_to(REPOSITORY / "modules")
    (folder / "dist").symlink_to(dist.resolve())
    copy = folder / beneath / root.name
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".terraform", "*.tfstate*"))
    return copy


def copied(root: Path, endpoint: str, folder: Path, dist: Path, account: str = "var.account_id") -> Path:
    """Copy a root of `envs/` into `folder`; returns the copy, which speaks to the local AWS at `endpoint`.

    `account`, as HCL, is whose keys the provider has.
    """
    copy = placed(root, folder, dist)
    keys = {"access_key": account, "secret_key": '"local"'}
    (copy / OVERRIDES).write_text(_BACKEND + provider_block(endpoint, keys), encoding="utf-8")
    return copy


@dataclass(frozen=True)
class Offline:
    """The local AWS at `endpoint`, and the environment in which Terraform finds the stand-in."""

    endpoint: str
    environment: Mapping[str, str]

    @classmethod
    @contextmanager
    def start(cls, log: Path) -> Iterator[Offline]:
        """Both, until the end of the block; `log` is the local AWS's. Raises EmulatorError."""
        with Emulator.start(log=log) as aws, stand_in({}) as environment:
            yield cls(aws.endpoint, environment)

    def root(self, root: Path, folder: Path, dist: Path) -> Terraform:
        """A copy of `root` in `folder`, initialised. Raises TerraformError."""
        terraform = Terraform(
            copied(root, self.endpoint, folder, dist), self.environment, data_dir=folder / "terraform"
        )
        terraform.init()
        return terraform
