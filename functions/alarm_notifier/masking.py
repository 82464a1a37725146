"""Takes personal data and secrets out of foreign text before it is stored or shown."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

MASKED: Final = "[masked]"
_SECRETS: Final = re.compile(
    r"https://hooks\.slack\.com/\S+|\bxox[a-z]-[\w-]{6,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", re.ASCII
)
_EMAIL: Final = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
# A card number has 13 to 19 digits, often in groups. Other numbers of that length go too: better than one
# shown.
_CARD: Final = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]?\d)", re.ASCII)


class Mask:
    """Masks the values of personal fields, and what looks like a card number, an e-mail address or a
    credential."""

    def __init__(self, personal: Iterable[str]) -> None:
        """`personal`: names of fields whose values are personal, wherever they occur."""
        self._personal = frozenset(personal)
        names = "|".join(re.escape(name) for name in sorted(self._personal, key=len, reverse=True))
        self._named = (
            re.compile(rf"""(?P<name>\b(?:{names})\b["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s,;)}}\]]+)""")
            if names
            else None
        )

    def text(self, text: str, personal_values: Iterable[str] = ()) -> str:
        """`text` without what is personal; `personal_values` are masked wherever they stand in it."""
        for value in sorted(personal_values, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", MASKED, text)
        if self._named:
            text = self._named.sub(rf"\g<name>{MASKED}", text)
        for pattern in (_SECRETS, _EMAIL, _CARD):
            text = pattern.sub(MASKED, text)
        return text

    def value(self, value: Any) -> Any:
        """A JSON value with the values of personal fields masked, at any depth."""
        match value:
            case dict():
                return {
                    name: MASKED if name in self._personal else self.value(inner)
                    for name, inner in value.items()
                }
            case list():
                return [self.value(inner) for inner in value]
            case _:
                return value

    def personal_values(self, value: Any) -> set[str]:
        """The texts that personal fields of a JSON value hold, at any depth."""
        return set(self._texts(value, personal=False))

    def _texts(self, value: Any, *, personal: bool) -> Iterator[str]:
        match value:
            case dict():
                for name, inner in value.items():
                    yield from self._texts(inner, personal=personal or name in self._personal)
            case list():
                for inner in value:
                    yield from self._texts(inner, personal=personal)
            case str() if personal and value.strip():
                yield value
            case int() | float() if personal and not isinstance(value, bool):
                yield json.dumps(value)
            case _:
                return
