"""Terraform here: which one, and the stand-in provider attached to it."""

from __future__ import annotations

from deploy.terraform.attach import Refused, refuse_shared_environment, stand_in
from deploy.terraform.command import MINIMUM, TerraformMissing, terraform_command, terraform_version
from deploy.terraform.runner import Terraform, TerraformError

__all__ = [
    "MINIMUM",
    "Refused",
    "Terraform",
    "TerraformError",
    "TerraformMissing",
    "refuse_shared_environment",
    "stand_in",
    "terraform_command",
    "terraform_version",
]
