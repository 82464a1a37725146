"""What a resource type and a data source declare."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem
from local.provider.engine.values import Values

Equivalence = Callable[[Any, Any], bool]
Normal = Callable[[str], str]


@dataclass(frozen=True)
class Tagging:
    """How a service tags a resource of a type.

    `service` is asked by `methods`, with `parameter` set to the state's attribute `source`; tags go as a list
    of pairs (`pair` names their two keys) or, not `listed`, as a map, under the two `names`.
    """

    service: str
    parameter: str
    source: str = "arn"
    listed: bool = True
    methods: tuple[str, str] = ("tag_resource", "untag_resource")
    names: tuple[str, str] = ("Tags", "TagKeys")
    pair: tuple[str, str] = ("Key", "Value")

    def apply(self, aws: Aws, state: Values, tags: Mapping[str, str], removed: list[str]) -> None:
        """Set `tags`, and remove the keys `removed`."""
        client, this = aws.client(self.service), {self.parameter: state[self.source]}
        tag, untag = (getattr(client, method) for method in self.methods)
        key, value = self.pair
        if removed:
            untag(**this, **{self.names[1]: removed})
        if tags:
            pairs = [{key: name, value: text} for name, text in sorted(tags.items())]
            tag(**this, **{self.names[0]: pairs if self.listed else dict(tags)})


class Resource(ABC):
    """One resource type: what it implements and how its API is called. Paths are dotted argument names."""

    type: ClassVar[str]
    # False for a type that is planned only.
    applied: ClassVar[bool] = True
    # Arguments that are carried out; naming a block implements all that is in it, unless listed in `refused`.
    arguments: ClassVar[frozenset[str]]
    refused: ClassVar[frozenset[str]] = frozenset()
    # Whether the genuine provider has it on plugin-framework, which keeps what plugin-sdk v2 loses.
    framework: ClassVar[bool] = False
    # Values that the genuine provider fills in for arguments that are not written.
    defaults: ClassVar[Mapping[str, Any]] = {}
    # A change of one of these replaces the resource.
    force_new: ClassVar[frozenset[str]] = frozenset()
    # Blocks, by dotted path, that the service fills in when they are not written.
    computed_blocks: ClassVar[frozenset[str]] = frozenset()
    # The form in which a text is planned, whatever it is written in.
    normal: ClassVar[Mapping[str, Normal]] = {}
    # Strings that are the same when they mean the same.
    equivalent: ClassVar[Mapping[str, Equivalence]] = {}
    tagging: ClassVar[Tagging | None] = None
    # Error codes that say the resource is gone.
    missing: ClassVar[frozenset[str]] = frozenset()

    def plan(  # noqa: B027 - most plans follow from the declaration alone
        self, aws: Aws, prior: Values | None, planned: Values, config: Values
    ) -> None:
        """Change `planned` where the genuine provider's plan depends on more than the declaration says."""

    @abstractmethod
    def create(self, aws: Aws, planned: Values) -> str:
        """Create it and return its id; unknown values are null."""

    @abstractmethod
    def read(self, aws: Aws, state: Values) -> Values | None:
        """What the service says, by attribute; what is left out keeps the state. None when it is gone."""

    def update(self, aws: Aws, prior: Values, planned: Values) -> None:  # noqa: ARG002 - for types without
        """Bring the service from `prior` to `planned`."""
        raise Problem(f"{self.type} {planned['id']} cannot be changed in place")

    def tag(self, aws: Aws, state: Values, tags: Mapping[str, str], removed: list[str]) -> None:
        """Set `tags` and remove the keys `removed`."""
        if self.tagging is None:
            raise Problem(f"{self.type} {state['id']} has no tags that could change in place")
        self.tagging.apply(aws, state, tags, removed)

    @abstractmethod
    def delete(self, aws: Aws, state: Values) -> None:
        """Remove it, and wait until it is gone."""

    def import_state(self, aws: Aws, identifier: str) -> Values:  # noqa: ARG002 - most ids say it all
        """The attributes that `terraform import`'s id gives; `read` finds the rest."""
        return {"id": identifier}


class DataSource(ABC):
    """One data source."""

    type: ClassVar[str]

    @abstractmethod
    def read(self, aws: Aws, config: Values) -> Values:
        """The attributes for a configuration whose values are all known."""
