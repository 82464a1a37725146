"""Terraform values in Python, and their msgpack form in plugin protocol 6.

null is None, unknown is `UNKNOWN`; strings, booleans, numbers, lists and dicts stand for themselves; a set is
a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgpack


class Unknown:
    """The type of `UNKNOWN`, the value that is known only after an apply."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __deepcopy__(self, memo: dict[int, Any]) -> Unknown:
        return self


UNKNOWN: Final = Unknown()
Values = dict[str, Any]

_UNKNOWN_CODES = {0, 12}  # plain, and with refinements
_UNKNOWN_WIRE = msgpack.ExtType(0, b"\x00")


def _unpack_extension(code: int, data: bytes) -> Any:
    if code in _UNKNOWN_CODES:
        return UNKNOWN
    raise ValueError(f"msgpack extension type {code} ({len(data)} bytes) is not part of Terraform's encoding")


def _pack_extension(value: Any) -> Any:
    if value is UNKNOWN:
        return _UNKNOWN_WIRE
    raise TypeError(f"{type(value).__name__} has no Terraform encoding")


def decode(data: bytes) -> Any:
    """Decode the msgpack form of a value; no bytes at all are null."""
    if not data:
        return None
    return msgpack.unpackb(data, ext_hook=_unpack_extension, raw=False, strict_map_key=False)


def encode(value: Any) -> bytes:
    """Encode a value as msgpack. Raises TypeError for what Terraform has no type for."""
    packed: bytes = msgpack.packb(value, default=_pack_extension)
    return packed


def is_zero(value: Any) -> bool:
    """True for null and for the values that an SDK-based provider cannot tell from null."""
    return (
        value is None or value is False or value in ("", 0) or (isinstance(value, list | dict) and not value)
    )


def known(value: Any) -> Any:
    """`value`, or null for one that is not known: what an SDK-based provider sees of it while it plans."""
    return None if value is UNKNOWN else value


def wholly_known(value: Any) -> bool:
    """True when `value` holds no unknown at any depth."""
    if value is UNKNOWN:
        return False
    if isinstance(value, dict):
        return all(map(wholly_known, value.values()))
    if isinstance(value, list):
        return all(map(wholly_known, value))
    return True


def without_unknowns(value: Any) -> Any:
    """`value` with every unknown replaced by null."""
    if value is UNKNOWN:
        return None
    if isinstance(value, dict):
        return {key: without_unknowns(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_unknowns(item) for item in value]
    return value


def number(value: Any) -> Any:
    """A number as Python holds it: msgpack carries those beyond 64 bits, and some fractions, as strings."""
    if isinstance(value, str):
        value = float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def at(values: Any, path: str) -> Iterator[Any]:
    """Every value found under the dotted `path`, through all the items of the blocks on the way."""
    head, _, rest = path.partition(".")
    for item in values if isinstance(values, list) else [values]:
        if not isinstance(item, dict) or head not in item:
            continue
        if rest:
            yield from at(item[head], rest)
        else:
            yield item[head]
