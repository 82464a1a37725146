"""The rules that need one resource only, which checkov can ask as well."""

from __future__ import annotations

ONE_RESOURCE = (
    "FO107",
    "FO108",
    "FO109",
    "FO110",
    "FO111",
    "FO112",
    "FO203",
    "FO204",
    "FO205",
    "FO206",
    "FO207",
    "FO302",
    "FO303",
    "FO305",
    "FO307",
    "FO309",
    "FO401",
    "FO405",
    "FO406",
    "FO407",
    "FO508",
    "FO604",
    "FO605",
)


def checkov_id(rule_id: str) -> str:
    """The id of a rule among checkov's: FO107 is CKV_FO_107."""
    return f"CKV_FO_{rule_id.removeprefix('FO')}"
