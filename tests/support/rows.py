"""DynamoDB in memory, copyable, for the few requests that the rows of a job are kept with.

It evaluates the expressions of the requests themselves, so that a test with it tests these too.
"""

import re
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from tests.support.faulty import cancelled, client_error

Item = dict[str, Any]
_TOKEN = re.compile(r"[()=,+]|<=|>=|<|>|:?[#A-Za-z_]+")


class Rows:
    """A client with one table. `items`: by partition and sort key."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], Item] = {}

    def get_item(self, *, Key: Item, ConsistentRead: bool, **_: Any) -> dict[str, Any]:  # noqa: N803
        assert ConsistentRead
        item = self.items.get(_place(Key))
        return {"Item": dict(item)} if item else {}

    def put_item(self, *, Item: Item, **_: Any) -> dict[str, Any]:  # noqa: N803
        self.items[_place(Item)] = dict(Item)
        return {}

    def delete_item(self, *, Key: Item, **request: Any) -> dict[str, Any]:  # noqa: N803
        self._check(self.items.get(_place(Key), {}), request)
        self.items.pop(_place(Key), None)
        return {}

    def update_item(self, *, Key: Item, UpdateExpression: str, **request: Any) -> dict[str, Any]:  # noqa: N803
        item = dict(self.items.get(_place(Key), {}))
        self._check(item, request)
        item |= Key
        values = request.get("ExpressionAttributeValues", {})
        clauses = re.split(r"\b(SET|REMOVE|ADD)\b", UpdateExpression)[1:]
        for verb, clause in zip(clauses[::2], clauses[1::2], strict=True):
            for action in re.split(r",(?![^(]*\))", clause):
                _act(item, verb, action.strip(), values, request.get("ExpressionAttributeNames", {}))
        self.items[_place(Key)] = item
        return {"Attributes": item}

    def transact_write_items(self, *, TransactItems: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        actions = [next(iter(action.items())) for action in TransactItems]
        codes = ["None"] * len(actions)
        for place, (_, request) in enumerate(actions):
            try:
                self._check(self.items.get(_place(request.get("Key") or request["Item"]), {}), request)
            except ClientError:
                codes[place] = "ConditionalCheckFailed"
        if set(codes) != {"None"}:
            raise cancelled(*codes)
        for verb, request in actions:
            getattr(self, f"{verb.lower()}_item")(**request)
        return {}

    @staticmethod
    def _check(item: Item, request: Mapping[str, Any]) -> None:
        condition = request.get("ConditionExpression")
        if condition and not _holds(condition, item, request.get("ExpressionAttributeValues", {})):
            raise client_error("ConditionalCheckFailedException")


def _place(key: Item) -> tuple[str, str]:
    return key["pk"]["S"], key["sk"]["S"]


def _act(item: Item, verb: str, action: str, values: Mapping[str, Any], names: Mapping[str, str]) -> None:
    if verb == "REMOVE":
        item.pop(names.get(action, action), None)
        return
    if verb == "ADD":
        name, value = action.split()
        if "N" in values[value]:
            item[name] = {"N": str(int(item.get(name, {"N": "0"})["N"]) + int(values[value]["N"]))}
        else:
            item[name] = {"SS": sorted({*item.get(name, {"SS": []})["SS"], *values[value]["SS"]})}
        return
    name, expression = (part.strip() for part in action.split("=", 1))
    name = names.get(name, name)
    kept = re.fullmatch(r"if_not_exists\((\w+), (:\w+)\)", expression)
    item[name] = item.get(kept[1], values[kept[2]]) if kept else values[expression]


def _holds(condition: str, item: Item, values: Mapping[str, Any]) -> bool:
    """A condition as Python: an attribute that is missing compares false with everything."""

    def text(word: str) -> str:
        match word:
            case "AND" | "OR" | "NOT":
                return word.lower()
            case "=":
                return "=="
            case "(" | ")" | "<" | ">" | "<=" | ">=" | ",":
                return word
            case "attribute_exists" | "attribute_not_exists":
                return word
            case _:
                return f"get({word!r})"

    def get(word: str) -> str | float:
        found = values[word] if word.startswith(":") else item.get(word)
        return next(iter(found.values())) if found else float("nan")

    def exists(value: object) -> bool:
        return value == value  # noqa: PLR0124 - NaN, which stands for a missing attribute, is not itself

    words = " ".join(text(word) for word in _TOKEN.findall(condition))
    known = {
        "get": get,
        "attribute_exists": exists,
        "attribute_not_exists": lambda value: not exists(value),
    }
    try:
        return bool(eval(words, {"__builtins__": {}}, known))  # noqa: S307 - expressions of our own code
    except TypeError:
        return False  # a text compared with what is missing
