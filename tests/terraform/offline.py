"""A shared environment on this machine: its own files, the backend and the provider's endpoints overridden.

Override files (`*_override.tf`) are Terraform's own way to say so; they go into a copy, beside the modules'.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from local.emulator import Emulator
from local.terraform import Terraform
from tests.terraform.conftest import DIST
from tests.terraform.modules import MODULES, REPOSITORY
from tests.terraform.plans import Plan

_SERVICES = (
    "dynamodb",
    "events",
    "iam",
    "kms",
    "lambda",
    "logs",
    "pipes",
    "s3",
    "scheduler",
    "sns",
    "sqs",
    "sts",
)
_PROVIDER = """
provider "aws" {{
{region}  skip_metadata_api_check     = true
  skip_credentials_validation = true
  s3_use_path_style           = true

  endpoints {{
{endpoints}
  }}
}}
"""
_BACKEND = """
terraform {
  backend "local" {}
}
"""


def provider_block(aws: Emulator, *, region: str = "") -> str:
    """The provider as it reaches `aws`; with a region it stands alone, without it overrides another block."""
    return _PROVIDER.format(
        region=f'  region = "{region}"\n' if region else "",
        endpoints="\n".join(f'    {service} = "{aws.endpoint}"' for service in _SERVICES),
    )


def copied(root: str, aws: Emulator, folder: Path) -> Path:
    """Copy an environment and the modules into `folder`; returns the copy, which speaks to `aws`."""
    shutil.copytree(MODULES, folder / "modules")
    copy = folder / "envs" / root
    shutil.copytree(
        REPOSITORY / "envs" / root, copy, ignore=shutil.ignore_patterns(".terraform", "*.tfstate*")
    )
    (copy / "offline_override.tf").write_text(_BACKEND + provider_block(aws), encoding="utf-8")
    return copy


def planned(
    root: str,
    aws: Emulator,
    environment: Mapping[str, str],
    folder: Path,
    variables: Mapping[str, str],
) -> Plan:
    """The plan of an environment, with the account of the local AWS in place of its own."""
    terraform = Terraform(
        copied(root, aws, folder),
        environment,
        {"dist": str(DIST), **variables},
        data_dir=folder / "terraform",
    )
    terraform.init()
    return Plan.of(terraform, environment, folder)
