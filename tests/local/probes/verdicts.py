"""Run many probes in two commands of Terraform: what validation leaves over is planned."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.terraform import Terraform, TerraformError
from local.provider.engine.schema import load
from tests.local.probes.hcl import resource
from tests.local.probes.probe import Probe, Verdict

_ROOT = """
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  region                      = "ap-northeast-1"
  access_key                  = "probe"
  secret_key                  = "probe"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  endpoints {
    sts = "http://127.0.0.1:9"
  }
}
variable "late" {
  type = string
}
resource "terraform_data" "later" {
  input = timestamp()
}
"""
_HEAD = re.compile(r'(resource|data) "(\w+)" "(\w+)"')


@dataclass(frozen=True)
class Verdicts:
    """By address: where it was refused, and with which words."""

    validate: Mapping[str, list[str]]
    plan: Mapping[str, list[str]]

    def of(self, address: str) -> Verdict:
        """What became of a resource."""
        if address in self.validate:
            return "validate"
        return "plan" if address in self.plan else "accepted"

    def words(self, address: str) -> list[str]:
        """The refusals of a resource."""
        return self.validate.get(address, []) or self.plan.get(address, [])


def addressed(probes: Sequence[Probe]) -> dict[str, Probe]:
    """The probes by address."""
    return {f"{probe.type}.p{index:04d}": probe for index, probe in enumerate(probes)}


def judge(probes: Mapping[str, Probe], root: Path, environment: Mapping[str, str], late: Any) -> Verdicts:
    """The verdicts of the provider that `environment` makes Terraform use.

    `late` is the value of the variable that is known in the plan only. Raises AssertionError for an error
    that belongs to no probe.
    """
    terraform = Terraform(root, environment, {"late": late})
    _write(root, probes)
    terraform.init()
    validated = _refusals(terraform.validate)
    rest = {address: probe for address, probe in probes.items() if address not in validated}
    _write(root, rest)
    planned = _refusals(lambda: terraform.plan(None, "-refresh=false"))
    strangers = (set(validated) | set(planned)) - set(probes)
    assert not strangers, [validated.get(name) or planned.get(name) for name in strangers]
    return Verdicts(validated, planned)


def _write(root: Path, probes: Mapping[str, Probe]) -> None:
    """The configuration, a file a probe: Terraform parses a file again for each diagnostic about it."""
    known = load()
    for file in root.glob("*.tf"):
        file.unlink()
    (root / "main.tf").write_text(_ROOT)
    for address, probe in probes.items():
        data = probe.type.startswith("data.")
        block = (known.data_sources if data else known.resources)[probe.type.removeprefix("data.")]
        (root / f"{address}.tf").write_text(resource(address, block, probe.config))


def _refusals(command: Any) -> dict[str, list[str]]:
    try:
        command()
    except TerraformError as error:
        return _by_address(error.diagnostics)
    return {}


def _by_address(diagnostics: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for item in diagnostics:
        context = (item.get("snippet") or {}).get("context") or ""
        head = _HEAD.match(context)
        address = item.get("address") or (
            f"{'data.' if head[1] == 'data' else ''}{head[2]}.{head[3]}" if head else ""
        )
        found[address].append(f"{item['summary']}: {item.get('detail', '')}".strip())
    return dict(found)
