"""One resource instance of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from policies.plan.values import Block

Key: TypeAlias = "str | int | None"


class ModuleStep(NamedTuple):
    """One module of a resource's address, with the instance's key."""

    name: str
    key: Key = None


ModulePath: TypeAlias = tuple[ModuleStep, ...]


class Leaving(StrEnum):
    """How a plan takes an object away that there is: for good, or for a new one at the same address."""

    DELETED = "deleted"
    REPLACED = "replaced"


class Place(NamedTuple):
    """Where a resource is written."""

    file: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """A resource instance: its full address, its parts, and its planned values.

    `judged` is False for what only serves to resolve references (a data source, another state's resource).
    `leaving` is set for an object that the plan takes away; its values are those that it has now.
    """

    address: str
    module: ModulePath
    mode: str
    type: str
    name: str
    key: Key
    values: Block
    judged: bool = True
    place: Place | None = None
    leaving: Leaving | None = None

    @property
    def label(self) -> str:
        """Type and name: the address inside its module, without the key."""
        return f"{self.type}.{self.name}" if self.mode == "managed" else f"data.{self.type}.{self.name}"

    def __str__(self) -> str:
        return self.address
