"""A plan as two files: Terraform's own, which is what gets applied, and its JSON, which is what gets read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.terraform import Terraform

Document = Mapping[str, Any]


@dataclass(frozen=True)
class PlanFiles:
    """`binary` is for `terraform apply`, `text` holds what `terraform show -json` says of it."""

    binary: Path
    text: Path

    @classmethod
    def of(cls, folder: Path, name: str) -> PlanFiles:
        """`<name>.tfplan` and `<name>.json`; plans may hold secrets, so the folder is its owner's alone."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(folder / f"{name}.tfplan", folder / f"{name}.json")

    def make(self, root: Terraform, *options: str) -> Document:
        """Plan an initialised root into the files; a former plan is gone even when this one fails.

        Returns the JSON. Raises TerraformError.
        """
        self.binary.unlink(missing_ok=True)
        self.text.unlink(missing_ok=True)
        root.plan(None, f"-out={self.binary.resolve()}", *options)
        document = root.show_json(self.binary)
        self.text.write_text(json.dumps(document), encoding="utf-8")
        return document


def genuine(root: Path) -> Terraform:
    """The root where it is, with the provider that its lock file names. Raises TerraformError."""
    terraform = Terraform(root, {"TF_IN_AUTOMATION": "1"})
    terraform.init("-lockfile=readonly")
    return terraform


def managed(document: Document) -> Iterator[Mapping[str, Any]]:
    """What the plan says of each managed resource."""
    for change in document.get("resource_changes", []):
        if change["mode"] == "managed":
            yield change
