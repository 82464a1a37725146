"""The plan that rules ask: resources by type, and which resource an attribute names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from policies.plan.arns import Identity, identify
from policies.plan.references import Follower, Trail, narrow
from policies.plan.resource import Resource
from policies.plan.values import UNKNOWN, Node, Undecided

T = TypeVar("T")

# The attribute that is a resource's name in its account and region, by type.
_NAMED_BY = {
    "aws_sqs_queue": "name",
    "aws_sns_topic": "name",
    "aws_lambda_function": "function_name",
    "aws_iam_role": "name",
    "aws_iam_policy": "name",
    "aws_kms_key": "key_id",
    "aws_kms_alias": "name",
    "aws_dynamodb_table": "name",
    "aws_scheduler_schedule_group": "name",
    "aws_cloudwatch_event_rule": "name",
    "aws_cloudwatch_log_group": "name",
    "aws_s3_bucket": "bucket",
    "aws_cloudwatch_metric_alarm": "alarm_name",
    "aws_cloudwatch_composite_alarm": "alarm_name",
}
_IDENTIFIERS = ("arn", "id", "url", "key_id")


@dataclass(frozen=True)
class Attachments:
    """Resources of one type by what they are attached to; `adrift` are those of which that is unknown."""

    by_target: dict[str, list[Resource]]
    adrift: list[Resource]

    def of(self, target: Resource) -> list[Resource]:
        """What is attached to a resource."""
        return self.by_target.get(target.address, [])


class Plan:
    """Resources that will exist after the apply, and objects that it takes away.

    `former` are the resources that the apply updates, with the values that they have now. `name`
    is for messages: the file it was read from.
    """

    def __init__(
        self,
        name: str,
        resources: Sequence[Resource],
        references: Follower,
        leaving: Sequence[Resource] = (),
        former: Sequence[Resource] = (),
    ) -> None:
        self.name = name
        self.resources = resources
        self.references = references
        self.leaving = leaving
        self.former = former
        self._by_type: dict[str, list[Resource]] = {}
        self._by_name: dict[tuple[str, str], list[Resource]] = {}
        self._by_identifier: dict[str, list[Resource]] = {}
        self._views: dict[Callable[[Plan], object], object] = {}
        self._candidates: dict[
            tuple[str, tuple[str | int, ...], tuple[str, ...]], list[Resource] | Undecided
        ] = {}
        self._attachments: dict[tuple[str, str, str], Attachments] = {}
        for resource in resources:
            if resource.mode == "managed":
                self._by_type.setdefault(resource.type, []).append(resource)
                self._index(resource)
            elif resource.type == "aws_iam_policy_document":
                self._index(resource)

    def _index(self, resource: Resource) -> None:
        named_by = _NAMED_BY.get(resource.type)
        name = resource.values.raw(named_by) if named_by else None
        if isinstance(name, str):
            self._by_name.setdefault((resource.type, name), []).append(resource)
        for attribute in _IDENTIFIERS:
            identifier = resource.values.raw(attribute)
            if isinstance(identifier, str):
                same = self._by_identifier.setdefault(identifier, [])
                if resource not in same:
                    same.append(resource)

    def of(self, *types: str) -> list[Resource]:
        """Managed resources of the types, in the plan's order within each."""
        return [resource for kind in types for resource in self._by_type.get(kind, [])]

    def leaving_of(self, *types: str) -> list[Resource]:
        """What the plan deletes or replaces of the types, as it is now."""
        return [resource for resource in self.leaving if resource.type in types]

    def view(self, build: Callable[[Plan], T]) -> T:
        """`build(plan)`, made once for each plan."""
        if build not in self._views:
            self._views[build] = build(self)
        return cast(T, self._views[build])

    def named(self, text: str, kinds: Sequence[str], region: Node = None) -> list[Resource]:
        """The resources of `kinds` that a known ARN, URL, id or name means; none when the plan has none."""
        known = [resource for resource in self._by_identifier.get(text, []) if resource.type in kinds]
        if known:
            return known
        identity = identify(text, kinds[0])
        if identity is None:
            return []
        if identity.type == "aws_kms_alias" and "aws_kms_key" in kinds:
            return self._behind_alias(identity)
        if identity.type not in kinds:
            return []
        same = self._by_name.get((identity.type, identity.name), [])
        where = identity.region or region
        if len(same) > 1 and isinstance(where, str):
            return [resource for resource in same if resource.values.raw("region") in (where, None)]
        return same

    def _behind_alias(self, identity: Identity) -> list[Resource]:
        return [
            key
            for alias in self._by_name.get(("aws_kms_alias", identity.name), [])
            for key in self.candidates(alias, "target_key_id", kinds=("aws_kms_key",))
        ]

    def documents_by_id(self, text: str) -> Resource | None:
        """The `aws_iam_policy_document` that source mode stands this id for, or None."""
        made = [r for r in self._by_identifier.get(text, []) if r.type == "aws_iam_policy_document"]
        return made[0] if len(made) == 1 else None

    def candidates(self, resource: Resource, *path: str | int, kinds: Sequence[str]) -> list[Resource]:
        """The resources of `kinds` that an attribute may name. Raises Undecided when that cannot be told.

        Empty when it names none of them: it is absent, or names something of another type.
        """
        wanted = (resource.address, path, tuple(kinds))
        if wanted not in self._candidates:
            try:
                self._candidates[wanted] = self._find(resource, path, kinds)
            except Undecided as reason:
                self._candidates[wanted] = reason
        answer = self._candidates[wanted]
        if isinstance(answer, Undecided):
            raise Undecided(*answer.args)
        return answer

    def _find(self, resource: Resource, path: tuple[str | int, ...], kinds: Sequence[str]) -> list[Resource]:
        value = value_at(resource, *path)
        if value is None:
            return []
        if isinstance(value, str):
            return self._candidates_by_text(resource, value, path, kinds)
        if value is not UNKNOWN:
            return []
        trail = self.references.sources(resource, *path)
        found = narrow(trail, kinds)
        if not found and (trail.lost or not trail.found):
            raise Undecided(
                f"{dotted(path)} is known after the apply only, and no reference in the plan says what it"
                " names"
            )
        return found

    def _candidates_by_text(
        self, resource: Resource, text: str, path: Sequence[str | int], kinds: Sequence[str]
    ) -> list[Resource]:
        found = self.named(text, kinds, resource.values.raw("region"))
        if found:
            return found
        identity = identify(text, kinds[0])
        if identity is None or identity.type not in kinds:
            return []
        # A name that is known after the apply only may still be this one: the expression tells.
        sources = narrow(self.references.sources(resource, *path), kinds)
        if sources:
            return sources
        raise Undecided(
            f"{dotted(path)} names {text}, which is not in this plan (hand its plan or state over with"
            " --context)"
        )

    def one(self, resource: Resource, *path: str | int, kinds: Sequence[str]) -> Resource | None:
        """The one resource that an attribute names, or None. Raises Undecided when that cannot be told."""
        found = self.candidates(resource, *path, kinds=kinds)
        if len(found) > 1:
            raise Undecided(
                f"{dotted(path)} may name any of {', '.join(sorted(r.address for r in found)[:4])}"
            )
        return found[0] if found else None

    def attached(self, kind: str, attribute: str, target: str) -> Attachments:
        """Resources of type `kind` by the resource of type `target` that `attribute` names; made once."""
        wanted = (kind, attribute, target)
        if wanted not in self._attachments:
            by_target: dict[str, list[Resource]] = {}
            adrift = []
            for resource in self.of(kind):
                try:
                    owners = self.candidates(resource, attribute, kinds=(target,))
                except Undecided:
                    # A known name of something elsewhere is attached to nothing here.
                    if resource.values.unknown(attribute):
                        adrift.append(resource)
                    continue
                if len(owners) > 1:
                    adrift.append(resource)
                for owner in owners if len(owners) == 1 else []:
                    by_target.setdefault(owner.address, []).append(resource)
            self._attachments[wanted] = Attachments(by_target, adrift)
        return self._attachments[wanted]

    def trail(self, resource: Resource, *path: str | int) -> Trail:
        """Everything that an attribute's expression leads to."""
        return self.references.sources(resource, *path)

    def reach(self, resource: Resource) -> Trail:
        """All that an expression of a resource may come from: what its module holds and is handed."""
        return self.references.reach(resource.module)


def value_at(resource: Resource, *path: str | int) -> Node:
    """The value at a path; `UNKNOWN` when it or what holds it is unknown, None when absent."""
    node: object = resource.values.fields
    for step in path:
        if node is UNKNOWN:
            return UNKNOWN
        if isinstance(step, int):
            if isinstance(node, dict):  # a single block, as source mode has it
                continue
            node = node[step] if isinstance(node, list) and step < len(node) else None
        else:
            node = node.get(step) if isinstance(node, Mapping) else None
    return cast(Node, node)


def dotted(path: Iterable[str | int]) -> str:
    """A path as Terraform writes it: `target[0].arn`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
