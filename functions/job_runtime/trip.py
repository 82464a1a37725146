"""What a message carries of its way out of the dead-letter queue, as message attributes.

The body stays as it is and a redrive gives new message and deduplication ids, so this is the one place where
a count of redrives survives the trip: into the queue, and back should the message fail again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageAttributeValueTypeDef

_MOST_REDRIVES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Trip:
    """How a message got here. Without attributes: from its producer, never redriven.

    `redrives`: how often it was taken out of the dead-letter queue; `run`: the redrive or release that did so
    last. Only the copies of a released group have the rest: `copy_of` is the id of the dead-letter message
    behind it, which stays until the copy has taken effect, `after` that of the one before it in its group.
    """

    redrives: int = 0
    run: str | None = None
    copy_of: str | None = None
    after: str | None = None

    @classmethod
    def read(cls, attributes: Mapping[str, str]) -> Self:
        """From message attributes by name, as text; what is no count, as a foreign sender's may be, is 0."""
        redrives = attributes.get("redrives", "")
        counted = int(redrives) if redrives.isascii() and redrives.isdigit() and len(redrives) < 10 else 0
        return cls(
            redrives=min(counted, _MOST_REDRIVES),
            run=attributes.get("redrive_run"),
            copy_of=attributes.get("redrive_of"),
            after=attributes.get("redrive_after"),
        )

    def attributes(self) -> "dict[str, MessageAttributeValueTypeDef]":
        """The message attributes that carry it; none for a message that was never redriven."""
        found: dict[str, MessageAttributeValueTypeDef] = {}
        if self.redrives:
            found["redrives"] = {"DataType": "Number", "StringValue": str(self.redrives)}
        for name, value in (
            ("redrive_run", self.run),
            ("redrive_of", self.copy_of),
            ("redrive_after", self.after),
        ):
            if value is not None:
                found[name] = {"DataType": "String", "StringValue": value}
        return found

    def of_copy(self) -> Self:
        """What goes on with a copy that fails and is quarantined again: it is a message of its own then."""
        return replace(self, copy_of=None, after=None)


TRIP_NAMES: Final = frozenset({"redrives", "redrive_run", "redrive_of", "redrive_after"})


def texts(attributes: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Message attributes that are text or numbers, by name; SQS and Lambda write the member differently."""
    found: dict[str, str] = {}
    for name, attribute in attributes.items():
        value = attribute.get("StringValue", attribute.get("stringValue"))
        if value is not None:
            found[name] = value
    return found
