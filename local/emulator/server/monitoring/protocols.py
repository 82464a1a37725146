"""CloudWatch in the three protocols of AWS's SDKs: Query, JSON and CBOR.

MiniStack knows each of them in part. Here a request of any protocol is one of the JSON protocol before
permissions are asked, and its answer goes back in the caller's: there is one implementation to keep right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any

import botocore.session
from botocore.model import OperationModel, ServiceModel, Shape
from ministack import app

from local.emulator.server.monitoring import wire
from local.emulator.server.replacing import replace

Answer = tuple[int, dict[str, str], bytes]
Dispatch = Callable[..., Awaitable[Any]]
_TARGET = "GraniteServiceVersion20100801"
_SCOPE = "/monitoring/aws4_request"
_PATH = re.compile(rf"/service/{_TARGET}/operation/(\w+)")
_JSON = "application/x-amz-json-1.0"
_CBOR = {"Content-Type": "application/cbor", "smithy-protocol": "rpc-v2-cbor"}
_OWN_HEADERS = frozenset({"content-type", "x-amzn-errortype", "x-amzn-query-error"})
_NOT_PASSED_ON = frozenset({"content-encoding", "content-length", "content-type", "smithy-protocol"})


@cache
def _service() -> ServiceModel:
    return botocore.session.get_session().get_service_model("cloudwatch")


def _operation(name: str) -> OperationModel | None:
    return _service().operation_model(name) if name in _service().operation_names else None


@dataclass(frozen=True)
class _Error:
    """`code` as the Query protocol names it, `type` as the model names its shape, `member` its message."""

    status: int
    code: str
    type: str
    message: str
    member: str = "message"

    @property
    def fault(self) -> str:
        return "Sender" if self.status < 500 else "Receiver"

    @classmethod
    def of(cls, status: int, document: Mapping[str, Any], operation: OperationModel | None) -> _Error:
        """What the model makes of an error of the JSON protocol."""
        told = str(document.get("__type") or "InternalFailure").rsplit("#", 1)[-1]
        message = str(document.get("message") or "")
        told = "AccessDenied" if told == "AccessDeniedException" else told
        for shape in (*(operation.error_shapes if operation else ()), *_service().error_shapes):
            error = shape.metadata.get("error") or {}
            code = str(error.get("code") or shape.name)
            if told in (code, shape.name) or f"{told}Exception" == code:
                member = next((name for name in shape.members if name.lower() == "message"), "message")
                return cls(int(error.get("httpStatusCode") or status), code, shape.name, message, member)
        return cls(status, told, told, message)


class _Json:
    """The JSON protocol: nothing to translate on the way in."""

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, _shape: Shape | None, body: bytes) -> bytes:
        return body

    def answer(self, shape: Shape | None, value: Mapping[str, Any], _id: str) -> tuple[dict[str, str], bytes]:
        return {"Content-Type": _JSON}, json.dumps(wire.for_json(shape, value)).encode()

    def error(self, error: _Error, _id: str) -> tuple[dict[str, str], bytes]:
        document = {"__type": f"com.amazonaws.cloudwatch#{error.type}", error.member: error.message}
        told = {"x-amzn-errortype": error.type, "x-amzn-query-error": f"{error.code};{error.fault}"}
        return {"Content-Type": _JSON, **told}, json.dumps(document).encode()


class _Cbor(_Json):
    """Smithy RPC v2 CBOR."""

    def read(self, _shape: Shape | None, body: bytes) -> bytes:
        return json.dumps(wire.read_cbor(body)).encode()

    def answer(self, shape: Shape | None, value: Mapping[str, Any], _id: str) -> tuple[dict[str, str], bytes]:
        return dict(_CBOR), wire.cbor(shape, value)

    def error(self, error: _Error, request_id: str) -> tuple[dict[str, str], bytes]:
        headers, document = super().error(error, request_id)
        return {**headers, **_CBOR}, wire.cbor_document(json.loads(document))


class _Query(_Json):
    """The Query protocol: a form in, XML out."""

    def __init__(self, name: str, parameters: Mapping[str, str]) -> None:
        super().__init__(name)
        self._parameters = parameters

    def read(self, shape: Shape | None, _body: bytes) -> bytes:
        return json.dumps(wire.read_query(shape, self._parameters) if shape else {}).encode()

    def answer(self, shape: Shape | None, value: Mapping[str, Any], request_id: str) -> Any:
        return {"Content-Type": "text/xml"}, wire.xml(self.name, shape, value, request_id)

    def error(self, error: _Error, request_id: str) -> tuple[dict[str, str], bytes]:
        document = wire.xml_error(error.code, error.message, error.fault, request_id)
        return {"Content-Type": "text/xml"}, document


def _spoken(path: str, headers: Mapping[str, str], parameters: Mapping[str, Any]) -> _Json:
    """The protocol of a request to CloudWatch, and the operation it names."""
    if found := _PATH.fullmatch(path):
        return _Cbor(found[1])
    if target := headers.get("x-amz-target"):
        return _Json(target.rsplit(".", 1)[-1])
    flat = {name: value[0] if isinstance(value, list) else value for name, value in parameters.items()}
    return _Query(str(flat.get("Action", "")), flat)


def _shape(name: str, which: str) -> Shape | None:
    operation = _operation(name)
    shape: Shape | None = getattr(operation, f"{which}_shape") if operation else None
    return shape


def _translating(dispatch: Dispatch) -> Dispatch:
    @wraps(dispatch)
    async def dispatched(method: str, path: str, headers: dict[str, str], body: bytes, *more: Any) -> Any:
        if _SCOPE not in headers.get("authorization", ""):
            return await dispatch(method, path, headers, body, *more)
        query, request_id = more
        body = app._decompress_request_body(body, headers)
        protocol = _spoken(path, headers, app._routing_params(method, path, headers, body, query))
        try:
            document = protocol.read(_shape(protocol.name, "input"), body)
        except (ValueError, TypeError) as wrong:
            return _answer(protocol, 400, {"__type": "MalformedInput", "message": str(wrong)}, request_id)
        kept = {name: value for name, value in headers.items() if name not in _NOT_PASSED_ON}
        asked = {**kept, "content-type": _JSON, "x-amz-target": f"{_TARGET}.{protocol.name}"}
        status, others, answer = await dispatch("POST", "/", asked, document, {}, request_id)
        told, own, written = _answer(protocol, status, json.loads(answer or b"{}"), request_id)
        others = {name: value for name, value in others.items() if name.lower() not in _OWN_HEADERS}
        return told, {**others, **own}, written

    return dispatched


def _answer(protocol: _Json, status: int, content: Mapping[str, Any], request_id: str) -> Answer:
    if status < 300:
        return status, *protocol.answer(_shape(protocol.name, "output"), content, request_id)
    error = _Error.of(status, content, _operation(protocol.name))
    return error.status, *protocol.error(error, request_id)


def install() -> None:
    """Translate between MiniStack and whoever asks CloudWatch."""
    replace(app, "_dispatch_service_request", _translating)
