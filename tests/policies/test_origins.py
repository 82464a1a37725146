"""Dimensions unknown as a whole, since one value is: the configuration says what an alarm watches."""

from __future__ import annotations

from typing import Any

import pytest

from policies.judge import Verdict
from tests.policies.support.judging import said
from tests.policies.support.written import block, document, refs, resource

ALARM = "aws_cloudwatch_metric_alarm"
FUNCTION = "aws_lambda_function.this"
MAPPING = "aws_lambda_event_source_mapping.this"
QUEUE = "aws_sqs_queue.this"
PET = "random_pet.this"
OF_MAPPING = {"namespace": "AWS/Lambda", "metric_name": "FailedInvokeEventCount"}
OF_QUEUE = {"namespace": "AWS/SQS", "metric_name": "ApproximateNumberOfMessagesVisible"}
# What the providers say of each before it is there.
THINGS = {
    FUNCTION: ({"function_name": "consumer"}, {"arn": True, "id": True}),
    MAPPING: ({"function_name": "consumer"}, {"uuid": True, "id": True}),
    QUEUE: ({"name_prefix": "jobs"}, {"name": True, "arn": True, "url": True, "id": True}),
    PET: ({}, {"id": True}),
}


def reference(attribute: str) -> dict[str, Any]:
    """An expression that is an attribute of a resource, as Terraform lists what it refers to."""
    return refs(attribute, attribute.rpartition(".")[0])


def things() -> list[dict[str, Any]]:
    return [resource(address, *values) for address, values in THINGS.items()]


def blocks() -> list[dict[str, Any]]:
    return [block(address, {"name": {"constant_value": "x"}}) for address in THINGS]


def outcome(made: dict[str, Any], address: str) -> tuple[str, str]:
    """What FO507 says of an alarm: `kept`, or the verdict with its message."""
    for verdict in (Verdict.FINDING, Verdict.UNDECIDED):
        (message, *_) = said(made, "FO507", verdict).get(address, [""])
        if message:
            return str(verdict), message
    return "kept", ""


def beside(watched: dict[str, str], expression: Any) -> dict[str, Any]:
    """An alarm in the root, beside what it may watch; `expression` is what its dimensions are written as."""
    written = {name: {"constant_value": value} for name, value in watched.items()}
    changes = [resource(f"{ALARM}.this", watched, {"dimensions": True}), *things()]
    alarm = block(f"{ALARM}.this", {**written, "dimensions": expression})
    return document(changes, {"resources": [alarm, *blocks()]})


def handed(watched: dict[str, str], arguments: dict[str, Any], *, query: bool = False) -> dict[str, Any]:
    """An alarm in a module that hides in a local what it is handed; or, with `query`, in a dynamic block."""
    hidden: Any = {"dimensions": refs("local.dimensions")}
    values: Any = (watched, {"dimensions": True})
    if query:
        hidden = {}
        values = (
            {"metric_query": [{"metric": [watched]}]},
            {"metric_query": [{"metric": [{"dimensions": True}]}]},
        )
    module = {"resources": [block(f"{ALARM}.this", hidden)]}
    call = {"source": "./watch", "expressions": arguments, "module": module}
    changes = [resource(f"module.watch.{ALARM}.this", *values), *things()]
    return document(changes, {"resources": blocks(), "module_calls": {"watch": call}})


@pytest.mark.parametrize(
    ("watched", "attribute"),
    [(OF_MAPPING, f"{MAPPING}.uuid"), (OF_MAPPING, f"{MAPPING}.id"), (OF_QUEUE, f"{QUEUE}.name")],
)
def test_a_name_of_what_the_metric_is_about_is_kept(watched: dict[str, str], attribute: str) -> None:
    assert outcome(beside(watched, reference(attribute)), f"{ALARM}.this") == ("kept", "")


@pytest.mark.parametrize(
    ("watched", "attribute", "says"),
    [
        (OF_QUEUE, f"{QUEUE}.arn", "its dimensions are aws_sqs_queue.this.arn"),
        (OF_QUEUE, f"{QUEUE}.url", "write the name"),
        (OF_QUEUE, f"{FUNCTION}.id", "the name of a aws_sqs_queue"),
        (OF_MAPPING, f"{MAPPING}.function_arn", "write the uuid"),
        (OF_MAPPING, f"{FUNCTION}.arn", "its dimensions come from aws_lambda_function.this"),
        (OF_MAPPING, f"{QUEUE}.arn", "published with EventSourceMappingUUID"),
    ],
)
def test_anything_else_of_a_resource_is_a_finding(watched: dict[str, str], attribute: str, says: str) -> None:
    verdict, message = outcome(beside(watched, reference(attribute)), f"{ALARM}.this")
    assert verdict == "finding"
    assert says in message


@pytest.mark.parametrize("expression", [reference(f"{PET}.id"), refs("local.dimensions"), {}])
def test_what_may_be_part_of_any_name_is_undecided(expression: Any) -> None:
    assert outcome(beside(OF_QUEUE, expression), f"{ALARM}.this")[0] == "undecided"


@pytest.mark.parametrize("query", [False, True], ids=["local", "dynamic"])
class TestHidden:
    """In a module of which the plan does not say how it makes dimensions of what it is handed."""

    def test_kept_where_nothing_else_without_a_name_is_handed(self, query: bool) -> None:
        made = handed(
            OF_MAPPING,
            {"uuid": reference(f"{MAPPING}.uuid"), "name": reference(f"{FUNCTION}.arn")},
            query=query,
        )
        assert outcome(made, f"module.watch.{ALARM}.this") == ("kept", "")

    def test_undecided_where_another_name_is_unknown(self, query: bool) -> None:
        arguments = {"uuid": reference(f"{MAPPING}.uuid"), "queue": reference(f"{QUEUE}.name")}
        made = handed(OF_MAPPING, arguments, query=query)
        assert outcome(made, f"module.watch.{ALARM}.this")[0] == "undecided"

    def test_undecided_where_nothing_that_has_the_metric_is_handed(self, query: bool) -> None:
        made = handed(OF_MAPPING, {"name": reference(f"{FUNCTION}.arn")}, query=query)
        assert outcome(made, f"module.watch.{ALARM}.this")[0] == "undecided"

    def test_what_hides_in_the_caller_too_may_be_all_that_the_caller_has(self, query: bool) -> None:
        made = handed(OF_MAPPING, {"watched": refs("local.watched")}, query=query)
        assert outcome(made, f"module.watch.{ALARM}.this")[0] == "undecided"
        (queue,) = [change for change in made["resource_changes"] if change["address"] == QUEUE]
        queue["change"].update(after={"name": "jobs"}, after_unknown={"arn": True})
        assert outcome(made, f"module.watch.{ALARM}.this") == ("kept", "")


def test_metrics_of_which_nothing_is_known_need_a_reference() -> None:
    own = {"namespace": "Own", "metric_name": "Charged"}
    assert outcome(beside(own, reference(f"{FUNCTION}.arn")), f"{ALARM}.this") == ("kept", "")
    assert outcome(beside(own, refs("local.dimensions")), f"{ALARM}.this")[0] == "undecided"
