"""IAM policy documents as statements, whether they are text or an `aws_iam_policy_document` not read yet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from policies.plan.model import Plan, value_at
from policies.plan.references import narrow
from policies.plan.resource import Resource
from policies.plan.values import UNKNOWN, Block, Node, Undecided, Unknown

Word: TypeAlias = "str | Unknown"


@dataclass(frozen=True, slots=True)
class Condition:
    """One operator on one key; keys and operators are case-insensitive and kept in lower case."""

    operator: str
    key: str
    values: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Principal:
    """A principal and its kind: `Service`, `AWS`, `Federated`, `CanonicalUser` or `*`."""

    kind: str
    name: Word


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement; what the document gives as a scalar is a tuple of one here.

    `made_by` is the `aws_iam_policy_document` whose statement block of that `index` it is, if it is one's.
    """

    label: str
    effect: Word
    actions: tuple[Word, ...] = ()
    not_actions: tuple[Word, ...] = ()
    resources: tuple[Word, ...] = ()
    not_resources: tuple[Word, ...] = ()
    principals: tuple[Principal, ...] = ()
    not_principals: tuple[Principal, ...] = ()
    conditions: tuple[Condition, ...] = ()
    made_by: Resource | None = None
    index: int = 0

    @property
    def allows(self) -> bool:
        """Whether it grants; an unknown effect counts as a grant."""
        return self.effect is UNKNOWN or self.effect == "Allow"

    def condition(self, *keys: str) -> list[Condition]:
        """The conditions on any of the keys (lower case)."""
        return [condition for condition in self.conditions if condition.key in keys]

    def services(self) -> list[str]:
        """The service principals."""
        return [p.name for p in self.principals if p.kind == "Service" and isinstance(p.name, str)]


@dataclass(frozen=True, slots=True)
class PolicyDocument:
    """Statements of one document. `gaps` says what of it is unknown: others may stand there."""

    statements: tuple[Statement, ...]
    version: Word | None
    text: str | None = None
    gaps: tuple[str, ...] = field(default=())


# What tfparse writes for an attribute that it cannot evaluate, as where two modules refer to each other.
_MADE_UP = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class Malformed(Undecided):
    """A text that is no policy document; to all rules but the one about texts, a reason not to answer."""


def parse_policy(text: str) -> PolicyDocument:
    """A document from its JSON. Raises Malformed."""
    try:
        node = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Malformed("it is not JSON") from error
    if not isinstance(node, dict):
        raise Malformed("it is not a JSON object")
    listed = node.get("Statement", [])
    statements = listed if isinstance(listed, list) else [listed]
    version = node.get("Version")
    return PolicyDocument(
        tuple(_from_json(statement, index) for index, statement in enumerate(statements)),
        version if isinstance(version, str) else None,
        text,
    )


def _from_json(node: Node, index: int) -> Statement:
    if not isinstance(node, dict):
        raise Malformed(f"its statement {index + 1} is not an object")
    sid = node.get("Sid")
    effect = node.get("Effect")
    return Statement(
        label=sid if isinstance(sid, str) and sid else f"statement {index + 1}",
        effect=effect if isinstance(effect, str) else "",
        actions=_words(node.get("Action")),
        not_actions=_words(node.get("NotAction")),
        resources=_words(node.get("Resource")),
        not_resources=_words(node.get("NotResource")),
        principals=tuple(_principals(node.get("Principal"))),
        not_principals=tuple(_principals(node.get("NotPrincipal"))),
        conditions=tuple(_conditions(node.get("Condition"))),
    )


def _words(node: Node) -> tuple[Word, ...]:
    listed = node if isinstance(node, list) else [] if node is None else [node]
    return tuple(
        item if isinstance(item, str | Unknown) else json.dumps(item, default=str, sort_keys=True)
        for item in listed
    )


def _principals(node: Node) -> Iterator[Principal]:
    if isinstance(node, str):
        yield Principal("*" if node == "*" else "AWS", node)
    elif isinstance(node, dict):
        for kind, names in node.items():
            yield from (Principal(kind, name) for name in _words(names))


def _conditions(node: Node) -> Iterator[Condition]:
    for operator, tests in node.items() if isinstance(node, dict) else ():
        for key, values in tests.items() if isinstance(tests, dict) else ():
            yield Condition(operator.lower(), key.lower(), _words(values))


def documents(plan: Plan, holder: Resource, *path: str | int) -> list[PolicyDocument]:
    """The policy at an attribute; none when absent. Raises Undecided, or Malformed for text that is none.

    One that is unknown is read from the `aws_iam_policy_document` it comes from, as far as that is known.
    """
    value = value_at(holder, *path)
    if value is None:
        return []
    if isinstance(value, str):
        made = plan.documents_by_id(value)
        if made is None and _MADE_UP.fullmatch(value):
            raise Undecided(f"{'.'.join(str(step) for step in path)} is known after the apply only")
        if made is None:
            return [parse_policy(value)]
        return [_from_data(plan, made)]
    if value is not UNKNOWN:
        raise Malformed("it is not text")
    trail = plan.trail(holder, *path)
    sources = narrow(trail, ("aws_iam_policy_document",))
    if len(sources) != 1:
        raise Undecided(f"{'.'.join(str(step) for step in path)} is known after the apply only")
    return [_from_data(plan, sources[0])]


def _from_data(plan: Plan, data: Resource, seen: Sequence[str] = ()) -> PolicyDocument:
    if data.address in seen:
        raise Undecided(f"{data.address} is made from itself")
    statements: list[Statement] = []
    gaps: list[str] = []
    for name in ("source_policy_documents", "override_policy_documents"):
        listed = data.values.raw(name)
        if listed is None:
            continue
        for index, item in enumerate(listed if isinstance(listed, list) else [UNKNOWN]):
            part = _included(plan, data, item, (name, index), [*seen, data.address])
            if part is None:
                gaps.append(f"{name} of {data.address} is known after the apply only")
            else:
                statements += part.statements
                gaps += part.gaps
    if data.values.unknown("statement"):
        gaps.append(f"the statements of {data.address} are known after the apply only")
    else:
        statements += [
            _from_block(data, block, index) for index, block in enumerate(data.values.blocks("statement"))
        ]
    version = data.values.raw("version")
    return PolicyDocument(
        tuple(statements),
        version if isinstance(version, str | Unknown) else "2012-10-17",
        gaps=tuple(gaps),
    )


def _included(
    plan: Plan, data: Resource, item: Node, path: tuple[str, int], seen: Sequence[str]
) -> PolicyDocument | None:
    if isinstance(item, str):
        made = plan.documents_by_id(item)
        return _from_data(plan, made, seen) if made is not None else parse_policy(item)
    sources = narrow(plan.trail(data, path[0]), ("aws_iam_policy_document",))
    return _from_data(plan, sources[0], seen) if len(sources) == 1 else None


def _from_block(data: Resource, block: Block, index: int) -> Statement:
    sid = block.raw("sid")
    effect = block.raw("effect")
    return Statement(
        label=sid if isinstance(sid, str) and sid else f"statement {index + 1}",
        effect=effect if isinstance(effect, str | Unknown) else "Allow",
        actions=_block_words(block, "actions"),
        not_actions=_block_words(block, "not_actions"),
        resources=_block_words(block, "resources"),
        not_resources=_block_words(block, "not_resources"),
        principals=tuple(_block_principals(block, "principals")),
        not_principals=tuple(_block_principals(block, "not_principals")),
        conditions=tuple(_block_conditions(block)),
        made_by=data,
        index=index,
    )


def _block_words(block: Block, name: str) -> tuple[Word, ...]:
    value = block.raw(name)
    return (UNKNOWN,) if value is UNKNOWN else _words(value)


def _block_principals(block: Block, name: str) -> Iterator[Principal]:
    if block.unknown(name):
        yield Principal("", UNKNOWN)
        return
    for principal in block.blocks(name):
        kind = principal.raw("type")
        for identifier in _block_words(principal, "identifiers"):
            yield Principal(kind if isinstance(kind, str) else "", identifier)


def _block_conditions(block: Block) -> Iterator[Condition]:
    if block.unknown("condition"):
        yield Condition("", "", (UNKNOWN,))
        return
    for condition in block.blocks("condition"):
        test, key = condition.raw("test"), condition.raw("variable")
        yield Condition(
            test.lower() if isinstance(test, str) else "",
            key.lower() if isinstance(key, str) else "",
            _block_words(condition, "values"),
        )
