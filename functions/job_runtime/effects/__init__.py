"""The ways to take effect once.

`transaction`: the effect is in DynamoDB, so the proof and the effect are one write. `lease`: the effect is at
an outside API, so an owner holds the key while it asks. Where the effect is pure or an upsert, Powertools'
`idempotent_function` is the short way and needs nothing from here.
"""

from enum import StrEnum


class Effect(StrEnum):
    """What handling a message came to."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
