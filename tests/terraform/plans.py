"""A plan as data."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.plan import PlanFiles
from deploy.terraform import Terraform


@dataclass(frozen=True)
class Plan:
    """What Terraform would make, as `terraform show -json` tells it."""

    document: Mapping[str, Any]

    @classmethod
    def of(cls, root: Terraform, folder: Path) -> "Plan":
        """Plan an initialised root; the plan's files go to `folder`."""
        return cls(PlanFiles.of(folder, "plan").make(root))

    def resources(self, kind: str) -> dict[str, dict[str, Any]]:
        """The planned values of every resource of a type, by address."""
        return {
            change["address"]: change["change"]["after"]
            for change in self.document["resource_changes"]
            if change["type"] == kind
            and change["mode"] == "managed"
            and change["change"]["after"] is not None
        }

    def unknown(self, address: str, attribute: str) -> bool:
        """Whether a value is known after the apply only."""
        for change in self.document["resource_changes"]:
            if change["address"] == address:
                return bool(change["change"]["after_unknown"].get(attribute))
        raise KeyError(address)

    def changes(self) -> set[tuple[str, str]]:
        """What would change: type and attribute, or type and action where a resource comes or goes."""
        found: set[tuple[str, str]] = set()
        for change in self.document["resource_changes"]:
            kind, actions, told = change["type"], change["change"]["actions"], change["change"]
            if change["mode"] != "managed" or actions == ["no-op"]:
                continue
            if actions == ["update"]:
                names = [name for name, value in told["after"].items() if value != told["before"][name]]
                unknown = [name for name, value in told["after_unknown"].items() if holds_true(value)]
                found |= {(kind, name) for name in [*names, *unknown]}
            else:
                found.add((kind, "+".join(actions)))
        return found

    def grants(self) -> dict[str, set[tuple[str, str]]]:
        """What each role is allowed: pairs of action and resource, by its name; denials are left out."""
        granted: dict[str, set[tuple[str, str]]] = {}
        for policy in self.resources("aws_iam_role_policy").values():
            pairs = granted.setdefault(policy["role"], set())
            for statement in json.loads(policy["policy"])["Statement"]:
                if statement["Effect"] != "Allow":
                    continue
                pairs |= {(a, r) for a in listed(statement["Action"]) for r in listed(statement["Resource"])}
        return granted

    def addresses(self) -> Iterator[str]:
        """The addresses of everything planned."""
        for change in self.document["resource_changes"]:
            if change["mode"] == "managed":
                yield change["address"]


def listed(value: str | list[str]) -> list[str]:
    """A policy's scalar or list as a list."""
    return [value] if isinstance(value, str) else value


def holds_true(value: Any) -> bool:
    """Whether a nested mark of what is unknown marks anything."""
    match value:
        case dict():
            return any(map(holds_true, value.values()))
        case list():
            return any(map(holds_true, value))
        case _:
            return bool(value)
