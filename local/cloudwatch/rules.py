"""The rule of a composite alarm.

Source: Amazon CloudWatch API Reference, PutCompositeAlarm (AlarmRule).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from local.cloudwatch.evaluation import STATES
from local.cloudwatch.refusal import RefusedError

_TOKEN = re.compile(r'\s*(?:(?P<name>"(?:[^"\\]|\\.)*")|(?P<sign>[()])|(?P<word>[^\s()"]+))')
_CONSTANTS = {"TRUE": True, "FALSE": False}
MAXIMUM_LENGTH = 10_240
MAXIMUM_CHILDREN = 100


@dataclass(frozen=True)
class Rule:
    """A part of a rule: AND, OR, NOT, TRUE, FALSE, or the state of the alarm `child` (a name or ARN)."""

    name: str
    parts: tuple[Rule, ...] = ()
    child: str = ""

    def holds(self, state_of: Callable[[str], str | None]) -> bool:
        """Whether the rule is true, given the state of each child."""
        match self.name:
            case "AND":
                return all(part.holds(state_of) for part in self.parts)
            case "OR":
                return any(part.holds(state_of) for part in self.parts)
            case "NOT":
                return not self.parts[0].holds(state_of)
            case "TRUE" | "FALSE":
                return _CONSTANTS[self.name]
        return state_of(self.child) == self.name

    def children(self) -> list[str]:
        """The alarms it names, each once, in its order."""
        own = [self.child] if self.child else []
        return list(dict.fromkeys([*own, *(child for part in self.parts for child in part.children())]))

    def agreeing(self, state_of: Callable[[str], str | None], truth: bool) -> list[str]:
        """The children whose own condition is what makes the rule TRUTH."""
        if self.child:
            return [self.child] if (state_of(self.child) == self.name) == truth else []
        wanted = not truth if self.name == "NOT" else truth
        return list(dict.fromkeys(child for part in self.parts for child in part.agreeing(state_of, wanted)))


@lru_cache(maxsize=512)
def parse(text: str) -> Rule:
    """Read a rule. Raises RefusedError naming what does not fit."""
    if not 1 <= len(text) <= MAXIMUM_LENGTH:
        raise RefusedError(f"AlarmRule has {len(text)} characters; write 1 to {MAXIMUM_LENGTH}")
    rule = _Parser(text).parse()
    if len(rule.children()) > MAXIMUM_CHILDREN:
        raise RefusedError(f"AlarmRule names more than {MAXIMUM_CHILDREN} alarms; nest composite alarms")
    return rule


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = [(match[match.lastgroup or 0], match.start()) for match in _TOKEN.finditer(text)]
        self._tokens.append(("<EOF>", len(text)))
        self._at = 0

    def _peek(self) -> str:
        return self._tokens[self._at][0]

    def _take(self, expected: str = "") -> str:
        token, position = self._tokens[self._at]
        if expected and token != expected:
            raise RefusedError(
                f"Error in AlarmRule [Unsupported token '{token}' at char {position}, must be: '{expected}']"
            )
        self._at += 1
        return token

    def parse(self) -> Rule:
        rule = self._joined("OR")
        self._take("<EOF>")
        return rule

    def _joined(self, word: str) -> Rule:
        def part() -> Rule:
            return self._joined("AND") if word == "OR" else self._operand()

        parts = [part()]
        while self._peek() == word:
            self._take()
            parts.append(part())
        return parts[0] if len(parts) == 1 else Rule(word, tuple(parts))

    def _operand(self) -> Rule:
        token, position = self._tokens[self._at]
        self._at += 1
        match token:
            case "NOT":
                return Rule("NOT", (self._operand(),))
            case "(":
                rule = self._joined("OR")
                self._take(")")
                return rule
        if token in _CONSTANTS:
            return Rule(token)
        if token in STATES:
            self._take("(")
            child = self._take()
            if child in ("(", ")", "<EOF>"):
                self._at -= 1
                self._take("the name of an alarm")
            self._take(")")
            return Rule(token, child=re.sub(r"\\(.)", r"\1", child[1:-1]) if child[0] == '"' else child)
        raise RefusedError(
            f"Error in AlarmRule [Unsupported token '{token}' at char {position}, must be: '(', 'NOT', "
            "TRUE or FALSE, ALARM, OK, or INSUFFICIENT_DATA]"
        )
