"""CloudWatch's Query and CBOR documents, read and written by the shapes of botocore's service model.

Source: smithy.io, "AWS Query protocol" and "Smithy RPC v2 CBOR protocol". Between the two ends a document is
what JSON can hold: a timestamp is a number of seconds of the epoch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as ET

import cbor2
from botocore.model import ListShape, MapShape, Shape, StructureShape
from ministack.services import cloudwatch

NAMESPACE = "http://monitoring.amazonaws.com/doc/2010-08-01/"
Leaf = Callable[[str, Any], Any]


def epoch(value: Any) -> float:
    """Return a timestamp (a number, ISO 8601 text or a datetime) in seconds of the epoch; ValueError else."""
    seconds = cloudwatch._parse_ts(value)
    if seconds is None:
        raise ValueError(f"{value!r} is no timestamp")
    return float(seconds)


def _boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text == "true"


_READ: Mapping[str, Callable[[str], Any]] = {
    "boolean": _boolean, "integer": int, "long": int, "float": float, "double": float, "timestamp": epoch,
}  # fmt: skip


def read_query(shape: Shape, parameters: Mapping[str, str], name: str = "") -> Any:
    """Read what PARAMETERS (`Metrics.member.1.Id` and the like) say of a shape called NAME; None if nothing.

    Raises ValueError for a number or time that is none.
    """
    if isinstance(shape, StructureShape):
        start = f"{name}." if name else ""
        if name and not any(parameter.startswith(start) for parameter in parameters):
            return None
        read = {
            member: read_query(of, parameters, start + of.serialization.get("name", member))
            for member, of in shape.members.items()
        }
        return {member: value for member, value in read.items() if value is not None}
    if isinstance(shape, ListShape):
        pattern = re.compile(rf"{re.escape(name)}\.member\.(\d+)(\.|$)")
        indexes = {int(found[1]) for parameter in parameters if (found := pattern.match(parameter))}
        if not indexes and name not in parameters:  # an empty list is written as its bare name
            return None
        return [read_query(shape.member, parameters, f"{name}.member.{index}") for index in sorted(indexes)]
    return _READ.get(shape.type_name, str)(parameters[name]) if name in parameters else None


def read_cbor(body: bytes) -> Any:
    """Read a CBOR document, times as seconds. Raises ValueError."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [plain(item) for item in value]
        return value.timestamp() if isinstance(value, datetime) else value

    try:
        return plain(cbor2.loads(body)) if body else {}
    except cbor2.CBORDecodeError as error:
        raise ValueError(str(error)) from error


def _shaped(shape: Shape, value: Any, leaf: Leaf) -> Any:
    """VALUE with the members that SHAPE knows and that are there, each scalar as LEAF writes it."""
    if isinstance(shape, StructureShape):
        return {
            member: _shaped(of, value[member], leaf)
            for member, of in shape.members.items()
            if value.get(member) is not None
        }
    if isinstance(shape, ListShape):
        return [_shaped(shape.member, item, leaf) for item in value]
    if isinstance(shape, MapShape):
        return {key: _shaped(shape.value, item, leaf) for key, item in value.items()}
    return leaf(shape.type_name, value)


def _json_leaf(kind: str, value: Any) -> Any:
    return epoch(value) if kind == "timestamp" else value


def _cbor_leaf(kind: str, value: Any) -> Any:
    if kind == "timestamp":
        return cbor2.CBORTag(1, epoch(value))
    return float(value) if kind in ("float", "double") else value


def _xml_leaf(kind: str, value: Any) -> str:
    if kind == "timestamp":
        moment = datetime.fromtimestamp(epoch(value), UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    if kind == "boolean":
        return "true" if value else "false"
    return str(float(value) if kind in ("float", "double") else value)


def for_json(shape: Shape | None, value: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of SHAPE (None: an empty one) for the JSON protocol."""
    return _shaped(shape, value, _json_leaf) if shape else {}


def cbor(shape: Shape | None, value: Mapping[str, Any]) -> bytes:
    """The answer of SHAPE (None: an empty one) as CBOR: times with tag 1, doubles as floats, no nulls."""
    return cbor_document(_shaped(shape, value, _cbor_leaf) if shape else {})


def cbor_document(document: Mapping[str, Any]) -> bytes:
    """A document as CBOR, as it is."""
    written: bytes = cbor2.dumps(document)
    return written


def _add(parent: ET.Element, name: str, shape: Shape, value: Any) -> None:
    element = ET.SubElement(parent, name)
    if isinstance(shape, StructureShape):
        for member, of in shape.members.items():
            if value.get(member) is not None:
                _add(element, of.serialization.get("name", member), of, value[member])
    elif isinstance(shape, ListShape):
        for item in value:
            _add(element, "member", shape.member, item)
    elif isinstance(shape, MapShape):
        for key, item in value.items():
            entry = ET.SubElement(element, "entry")
            ET.SubElement(entry, "key").text = key
            _add(entry, "value", shape.value, item)
    else:
        element.text = _xml_leaf(shape.type_name, value)


def xml(operation: str, shape: Shape | None, value: Mapping[str, Any], request_id: str) -> bytes:
    """The answer of an operation for the Query protocol."""
    root = ET.Element(f"{operation}Response", {"xmlns": NAMESPACE})
    if shape:
        _add(root, f"{operation}Result", shape, value)
    ET.SubElement(ET.SubElement(root, "ResponseMetadata"), "RequestId").text = request_id
    return _written(root)


def xml_error(code: str, message: str, fault: str, request_id: str) -> bytes:
    """An error for the Query protocol; FAULT is Sender or Receiver."""
    root = ET.Element("ErrorResponse", {"xmlns": NAMESPACE})
    error = ET.SubElement(root, "Error")
    for name, text in (("Type", fault), ("Code", code), ("Message", message)):
        ET.SubElement(error, name).text = text
    ET.SubElement(root, "RequestId").text = request_id
    return _written(root)


def _written(root: ET.Element) -> bytes:
    # A carriage return that is not escaped reads as a line feed.
    written: bytes = ET.tostring(root, encoding="utf-8")
    return written.replace(b"\r", b"&#13;")
