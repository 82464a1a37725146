"""What the messages of each job carry: the contract between the dispatcher that sends and the consumer
that takes.

It is here because functions share nothing but this package; the runtime itself never looks a job up.
"""

from collections.abc import Mapping
from typing import Final

from job_runtime.envelope import ID_SCHEMA, JsonSchema

PAYLOAD_SCHEMAS: Final[Mapping[str, JsonSchema]] = {
    "charge": {
        "type": "object",
        "additionalProperties": False,
        "required": ["amount", "currency"],
        "properties": {
            "amount": {"type": "integer", "minimum": 0, "maximum": 10**12},
            "currency": {"enum": ["JPY"]},
        },
    },
    "co2": {
        "type": "object",
        "additionalProperties": False,
        "required": ["emissions"],
        "properties": {
            "emissions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["category", "grams"],
                    "properties": {
                        "category": ID_SCHEMA,
                        "grams": {"type": "integer", "minimum": 0, "maximum": 10**15},
                    },
                },
            }
        },
    },
}
"""JSON schemas (draft 7) by job. `amount` is in minor units of `currency`: the yen has none, so whole yen;
0 is charged, since its row proves that the employee was handled. `grams` are whole grams of CO2."""
