"""What a service says, brought into the form that the state has."""

from __future__ import annotations

from local.provider.engine.schema import Attribute, Block, NestedBlock
from local.provider.engine.state import settle, split_tags
from local.provider.engine.values import UNKNOWN

OPTIONAL = Attribute("string", optional=True)
BODY = Block({"key": OPTIONAL, "note": OPTIONAL}, {})
BLOCK = Block(
    {
        "name": Attribute("string", required=True),
        "note": OPTIONAL,
        "flag": Attribute("bool", optional=True),
        "arn": Attribute("string", computed=True),
        "names": Attribute(["set", "string"], optional=True),
    },
    {"items": NestedBlock("set", BODY), "steps": NestedBlock("list", BODY)},
)
EMPTY = BLOCK.null()


def settled(new: object, old: object, name: str) -> object:
    return settle({**EMPTY, name: new}, {**EMPTY, name: old}, BLOCK, {})[name]


def test_an_empty_text_from_the_service_is_the_null_of_the_state() -> None:
    assert settled("", None, "note") is None
    assert settled(False, None, "flag") is None


def test_a_null_from_the_service_is_the_empty_text_of_the_state() -> None:
    assert settled(None, "", "note") == ""


def test_a_value_is_never_taken_for_null() -> None:
    assert settled("x", None, "note") == "x"
    assert settled(None, "x", "note") is None
    assert settled(True, None, "flag") is True


def test_a_computed_empty_text_is_a_value() -> None:
    assert settled("", None, "arn") == ""


def test_what_was_unknown_takes_what_the_service_says() -> None:
    assert settled("arn", UNKNOWN, "arn") == "arn"
    assert settled(UNKNOWN, "arn", "arn") is UNKNOWN


def test_a_set_in_another_order_is_the_set_of_the_state() -> None:
    assert settled(["b", "a"], ["a", "b"], "names") == ["a", "b"]
    assert settled(["b", "c"], ["a", "b"], "names") == ["b", "c"]


def test_items_of_a_set_find_their_old_form_in_any_order() -> None:
    old = [{"key": "a", "note": ""}, {"key": "b", "note": None}]
    new = [{"key": "b", "note": ""}, {"key": "a", "note": None}]
    assert settled(new, old, "items") == [old[1], old[0]]


def test_two_equal_items_do_not_share_one_old_form() -> None:
    old = [{"key": "a", "note": ""}]
    new = [{"key": "a", "note": None}, {"key": "a", "note": None}]
    assert settled(new, old, "items") == [{"key": "a", "note": ""}, {"key": "a", "note": None}]


def test_items_of_a_list_are_compared_in_their_place() -> None:
    old = [{"key": "a", "note": ""}]
    assert settled([{"key": "b", "note": None}, {"key": "c", "note": ""}], old, "steps") == [
        {"key": "b", "note": ""},
        {"key": "c", "note": None},
    ]


def test_an_equivalence_keeps_the_old_text() -> None:
    def same(left: str, right: str) -> bool:
        return left.lower() == right.lower()

    kept = settle(
        {**EMPTY, "note": "A", "steps": [{"key": "B", "note": None}]},
        {**EMPTY, "note": "a", "steps": [{"key": "b", "note": None}]},
        BLOCK,
        {"note": same, "steps.key": same},
    )
    assert (kept["note"], kept["steps"][0]["key"]) == ("a", "b")


def test_default_tags_are_not_the_resources_own() -> None:
    tags = split_tags(
        {"project": "p", "job": "charge", "aws:x": "y"}, {"tags": {"job": "charge"}}, {"project": "p"}
    )
    assert tags == {"tags": {"job": "charge"}, "tags_all": {"project": "p", "job": "charge"}}


def test_a_foreign_tag_shows_among_the_resources_own() -> None:
    assert split_tags({"project": "p", "x": "y"}, {"tags": None}, {"project": "p"})["tags"] == {"x": "y"}


def test_a_default_tag_with_another_value_shows() -> None:
    assert split_tags({"project": "q"}, {"tags": None}, {"project": "p"})["tags"] == {"project": "q"}


def test_a_default_tag_that_the_resource_repeats_is_its_own() -> None:
    state = {"tags": {"project": "p"}}
    assert split_tags({"project": "p"}, state, {"project": "p"})["tags"] == {"project": "p"}


def test_no_tags_keep_the_form_that_the_state_has() -> None:
    assert split_tags({}, {"tags": {}}, {})["tags"] == {}
    assert split_tags({}, {"tags": None}, {})["tags"] is None
    assert split_tags({}, {"tags": {"a": "b"}}, {})["tags"] is None
