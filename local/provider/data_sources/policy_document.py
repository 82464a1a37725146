"""`aws_iam_policy_document`, rendered byte for byte as the genuine provider renders it.

Its rules: keys in a fixed order; sets of strings in reverse order, one alone as a plain string; condition
values in the order written; `&{` becomes `${`; statements of later documents replace those of the same Sid;
`<`, `>` and `&` escaped.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.documents import go_json
from local.provider.engine.errors import Problem
from local.provider.engine.resource import DataSource
from local.provider.engine.values import Values

_KEYS = (
    "Sid",
    "Effect",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Principal",
    "NotPrincipal",
    "Condition",
)
_OLD_VERSION = "2008-10-17"


class PolicyDocument(DataSource):
    """The data source."""

    type = "aws_iam_policy_document"

    @override
    def read(self, aws: Aws, config: Values) -> Values:
        """The document, and the defaults that went into it."""
        version = config["version"] or "2012-10-17"
        statements = [
            {**statement, "effect": statement["effect"] or "Allow"} for statement in config["statement"]
        ]
        document = render(
            version,
            config["policy_id"] or "",
            statements,
            [text for text in config["source_policy_documents"] or [] if text],
            [text for text in config["override_policy_documents"] or [] if text],
        )
        pretty = go_json(document, indent=2)
        return {
            "id": str(zlib.crc32(pretty.encode())),
            "json": pretty,
            "minified_json": go_json(document),
            "statement": statements,
            "version": version,
        }


def render(
    version: str,
    policy_id: str,
    statements: Iterable[Values],
    sources: Iterable[str],
    overrides: Iterable[str],
) -> dict[str, Any]:
    """The merged document: sources in order, then the statements written here, then the overrides.

    Raises Problem for a Sid that occurs twice among the sources or among the statements, and for `&{` in a
    document of version 2008-10-17.
    """
    merged: dict[str, Any] = {"Version": "", "Id": "", "Statement": []}
    seen: set[str] = set()
    for text in sources:
        source = _parse(text)
        _refuse_duplicates(source["Statement"], seen, "source_policy_documents")
        _merge(merged, source)
    own = [_statement(statement, version) for statement in statements]
    _refuse_duplicates(own, set(), "statement")
    _merge(merged, {"Version": version, "Id": policy_id, "Statement": own})
    for text in overrides:
        _merge(merged, _parse(text))
    return {key: value for key, value in merged.items() if value}


def _refuse_duplicates(statements: Iterable[Mapping[str, Any]], seen: set[str], where: str) -> None:
    for statement in statements:
        sid = statement.get("Sid")
        if sid and sid in seen:
            raise Problem(
                f"aws_iam_policy_document: duplicate Sid {sid} in {where}",
                "Remove the Sid, or make it unique.",
                where,
            )
        if sid:
            seen.add(sid)


def _merge(into: dict[str, Any], document: Mapping[str, Any]) -> None:
    if document["Id"]:
        into["Id"] = document["Id"]
    into["Version"] = max(into["Version"], document["Version"])
    positions = {statement["Sid"]: at for at, statement in enumerate(into["Statement"]) if "Sid" in statement}
    for statement in document["Statement"]:
        sid = statement.get("Sid")
        if sid in positions:
            into["Statement"][positions[sid]] = statement
        else:
            if sid:
                positions[sid] = len(into["Statement"])
            into["Statement"].append(statement)


def _statement(statement: Values, version: str) -> dict[str, Any]:
    def strings(name: str) -> Any:
        return _one_or_reversed(statement[name] or [])

    def variables(value: Any) -> Any:
        return _variables(value, version)

    rendered = {
        "Sid": statement["sid"] or "",
        "Effect": statement["effect"],
        "Action": strings("actions"),
        "NotAction": strings("not_actions"),
        "Resource": variables(strings("resources")),
        "NotResource": variables(strings("not_resources")),
        "Principal": _principals(_declared_principals(statement["principals"], version)),
        "NotPrincipal": _principals(_declared_principals(statement["not_principals"], version)),
        "Condition": _conditions(
            (item["test"], item["variable"], variables([value or "" for value in item["values"]]))
            for item in statement["condition"]
        ),
    }
    return {key: value for key, value in rendered.items() if value}


def _one_or_reversed(values: list[str]) -> Any:
    return values[0] if len(values) == 1 else sorted(values, reverse=True)


def _variables(value: Any, version: str) -> Any:
    if isinstance(value, list):
        return [_variables(item, version) for item in value]
    if version == _OLD_VERSION and "&{" in value:
        raise Problem(
            f"aws_iam_policy_document: {value!r} holds &{{, which version {_OLD_VERSION} does not support",
            "Write version 2012-10-17.",
            "version",
        )
    return value.replace("&{", "${")


def _declared_principals(blocks: Iterable[Values], version: str) -> list[tuple[str, Any]]:
    return [(block["type"], _variables(_one_or_reversed(block["identifiers"]), version)) for block in blocks]


def _principals(principals: list[tuple[str, Any]]) -> Any:
    if len(principals) == 1 and principals[0] in (("*", "*"), ("*", ["*"])):
        return "*"
    merged: dict[str, Any] = {}
    for kind, identifiers in principals:
        if isinstance(identifiers, list):
            before = merged.get(kind, [])
            merged[kind] = [
                *([before] if isinstance(before, str) else before),
                *sorted(identifiers, reverse=True),
            ]
        elif kind in merged:
            before = merged[kind]
            merged[kind] = [*([before] if isinstance(before, str) else before), identifiers]
        else:
            merged[kind] = identifiers
    return dict(sorted(merged.items()))


def _conditions(conditions: Iterable[tuple[str, str, list[str]]]) -> dict[str, Any]:
    merged: dict[str, dict[str, list[str]]] = {}
    for test, variable, values in conditions:
        merged.setdefault(test, {}).setdefault(variable, []).extend(values)
    return {
        test: {name: values[0] if len(values) == 1 else values for name, values in sorted(variables.items())}
        for test, variables in sorted(merged.items())
    }


def _parse(text: str) -> dict[str, Any]:
    document = json.loads(text)
    statements = document.get("Statement") or []
    if not isinstance(statements, list):
        raise Problem(
            "aws_iam_policy_document: Statement of a document to merge is not a list", "Write it as a list."
        )
    return {
        "Version": document.get("Version") or "",
        "Id": document.get("Id") or "",
        "Statement": [_parsed_statement(statement) for statement in statements],
    }


def _parsed_statement(statement: Mapping[str, Any]) -> dict[str, Any]:
    parsed = {key: statement[key] for key in _KEYS if statement.get(key)}
    for key in ("Principal", "NotPrincipal"):
        if isinstance(parsed.get(key), str):
            parsed[key] = "*"
        elif key in parsed:
            parsed[key] = _principals(list(parsed[key].items()))
    if "Condition" in parsed:
        parsed["Condition"] = _conditions(
            (test, variable, _condition_values(values))
            for test, variables in parsed["Condition"].items()
            for variable, values in variables.items()
        )
    return parsed


def _condition_values(values: Any) -> list[str]:
    if isinstance(values, bool):
        return [str(values).lower()]
    return [values] if isinstance(values, str) else list(values)
