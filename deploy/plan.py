"""A plan as files: Terraform's own, which gets applied, its JSON, which gets read, and what is told of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from deploy.terraform import Terraform

Document = Mapping[str, Any]


@dataclass(frozen=True)
class PlanFiles:
    """`binary` is for `terraform apply`, `text` holds what `terraform show -json` says of it.

    `summary` is Markdown for people (`deploy.summary`), `origin` says where the plan is from
    (`deploy.origin`).
    """

    binary: Path
    text: Path
    summary: Path
    origin: Path

    @classmethod
    def of(cls, folder: Path, name: str) -> PlanFiles:
        """`<name>.tfplan` and its like; plans may hold secrets, so the folder is its owner's alone."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(*(folder / f"{name}.{kind}" for kind in ("tfplan", "json", "md", "plan.json")))

    def written(self) -> list[Path]:
        """Those of the files that exist."""
        return [file for file in astuple(self) if file.is_file()]

    def make(self, root: Terraform, *options: str) -> Document:
        """Plan an initialised root into the first two files; whatever a former plan left is gone even when
        this one fails.

        Returns the JSON. Raises TerraformError.
        """
        for file in self.written():
            file.unlink()
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
