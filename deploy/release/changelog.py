"""The changelog's sections."""

from __future__ import annotations

import re
from datetime import date

UNRELEASED = "Unreleased"
_SECTION = re.compile(r"^## (.+?)\s*$", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """Return what stands under each heading of the second level in TEXT, by heading."""
    _, *parts = _SECTION.split(text)
    return {heading: body.strip() for heading, body in zip(parts[::2], parts[1::2], strict=True)}


def notes(text: str, version: str, today: date) -> str:
    """Return what the changelog TEXT says of VERSION.

    Raises ValueError, with what to write instead, when there is no section of it with a date, when the date
    is none or lies after TODAY, when nothing stands there, or when something still stands under Unreleased.
    """
    wanted = f"## {version} - {today.isoformat()}"
    found = sections(text)
    heading = next(
        (one for one in found if one.startswith(f"{version} ") or one in {version, f"[{version}]"}), None
    )
    if heading is None:
        raise ValueError(f"it has no section {wanted!r}: rename the heading {UNRELEASED!r} to it")
    dated = re.fullmatch(re.escape(version) + r" - (\d{4}-\d{2}-\d{2})", heading)
    if dated is None or not _is_date(dated[1]):
        raise ValueError(f"'## {heading}' has no date: write {wanted!r}")
    if date.fromisoformat(dated[1]) > today:
        raise ValueError(f"'## {heading}' lies in the future: write {wanted!r}")
    if not found[heading]:
        raise ValueError(f"nothing stands under '## {heading}': say what is new")
    if found.get(UNRELEASED):
        raise ValueError(f"something still stands under '## {UNRELEASED}': move it to '## {heading}'")
    return found[heading]


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
