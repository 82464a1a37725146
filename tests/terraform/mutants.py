"""Modules with one thing wrong: a statement or a condition less, a wider action, a setting that is lost.

They are read from the source as `terraform fmt` leaves it: a block ends with a brace at the indentation of
its first line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.terraform.modules import Module

_TOP = re.compile(
    r'^(?P<kind>data|resource|module|locals)\b(?: "(?P<type>[^"]+)")?(?: "[^"]+")? \{$', re.MULTILINE
)
_BLOCK = re.compile(
    r'^(?P<indent> +)(?:dynamic "(?P<dynamic>statement|condition)"|(?P<plain>statement|condition)) \{$',
    re.MULTILINE,
)
_TEST = re.compile(r'^ +test += "(?P<test>\w+)"$', re.MULTILINE)
_ACTIONS = re.compile(r'\["(?P<service>[a-z0-9]+):[A-Za-z*]+"(?:, "[a-z0-9]+:[A-Za-z*]+")*\]')
_SETTING = re.compile(r"^ +(?P<name>\w+) += [^{(\[\n]*\b(?:var|local)\.[^\n]*[^{(\[\n]\n", re.MULTILINE)

# What something is called, and how many there are of it: without it there is no such thing to test.
_IDENTITY = {"name", "count", "for_each", "condition", "error_message", "source", "values"}
# Their whole work is to pass settings on. Of what other modules hand inwards their own tests see little; a
# plan of a root sees it.
_WRAPPERS = {"fifo-queue-with-dlq", "standard-queue-with-dlq"}
_TURNED = {
    "ArnLike": "ArnNotLike",
    "ArnNotEquals": "ArnEquals",
    "Bool": "Null",
    "StringEquals": "StringNotEquals",
    "StringLike": "StringNotLike",
    "StringNotEquals": "StringEquals",
}


@dataclass(frozen=True)
class Mutant:
    """A file of a module, and the text that it has instead of its own; `what` says what is wrong with it."""

    file: str
    what: str
    text: str


@dataclass(frozen=True)
class _Source:
    """One file of a module."""

    name: str
    text: str

    def mutant(self, span: tuple[int, int], instead: str, what: str) -> Mutant:
        first, end = span
        place = f"{self.name}:{self.text.count(chr(10), 0, first) + 1}"
        return Mutant(self.name, f"{place}: {what}", self.text[:first] + instead + self.text[end:])

    def end(self, start: int, indent: str) -> int:
        """Behind the closing brace of the block that starts at `start`."""
        return self.text.index(f"\n{indent}}}\n", start) + len(indent) + 3

    def documents(self, first: int, end: int) -> Iterator[Mutant]:
        """Without a statement or a condition, and with a condition turned round."""
        for block in _BLOCK.finditer(self.text, first, end):
            span = block.start(), self.end(block.start(), block["indent"])
            yield self.mutant(span, "", f"no {block['dynamic'] or block['plain']}")
        for test in _TEST.finditer(self.text, first, end):
            if turned := _TURNED.get(test["test"]):
                yield self.mutant(test.span("test"), turned, f"{test['test']} turned round")

    def actions(self, first: int, end: int) -> Iterator[Mutant]:
        """With every action of a service in the place of a few."""
        for actions in _ACTIONS.finditer(self.text, first, end):
            wide = f'["{actions["service"]}:*"]'
            if actions[0] != wide:
                yield self.mutant(actions.span(), wide, f"{actions['service']}:*")

    def settings(self, first: int, end: int) -> Iterator[Mutant]:
        """With the default in the place of what an input says."""
        for setting in _SETTING.finditer(self.text, first, end):
            if setting["name"] not in _IDENTITY:
                yield self.mutant(setting.span(), "", f"no {setting['name']}")


def _of(file: Path, *, wrapper: bool) -> Iterator[Mutant]:
    source = _Source(file.name, file.read_text(encoding="utf-8"))
    for top in _TOP.finditer(source.text):
        span = top.start(), source.end(top.start(), "")
        policy = top["type"] == "aws_iam_policy_document"
        if policy:
            yield from source.documents(*span)
        if policy or top["kind"] == "locals":
            yield from source.actions(*span)
        if top["kind"] == "resource":
            yield from source.settings(*span)
        if top["kind"] == "module" and wrapper:
            # No output of the wrapped module tells its tags.
            yield from (m for m in source.settings(*span) if not m.what.endswith(" tags"))


def mutants(module: Module) -> list[Mutant]:
    """Every mutant of the module, in the order of its source."""
    return [
        mutant
        for file in sorted(module.path.glob("*.tf"))
        for mutant in _of(file, wrapper=module.name in _WRAPPERS)
    ]
