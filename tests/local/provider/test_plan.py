"""What is planned: defaults, computed values, replacements, equivalences."""

from __future__ import annotations

import json
from typing import Any

import pytest

from local.provider.engine.schema import load
from local.provider.engine.values import UNKNOWN, Values
from local.provider.resources import RESOURCES
from tests.local.provider.plugin import Plugin, full

ROLE = "arn:aws:iam::111122223333:role/consumer"
URL = "http://127.0.0.1:4566/111122223333/jobs.fifo"


@pytest.fixture
def plugin() -> Plugin:
    """A configured provider whose endpoints nobody answers: a plan of a managed resource calls none."""
    return Plugin().configured(default_tags=[{"tags": {"project": "fanout-once"}}])


def applied(plugin: Plugin, type_name: str, config: Values, **observed: Any) -> Values:
    """A state as an apply of `config` leaves it, with the values that a service would have chosen."""
    planned = plugin.plan(type_name, config).planned
    known = {name: None if value is UNKNOWN else value for name, value in planned.items()}
    return full(load().resources[type_name], {**known, **observed})


def test_a_queue_gets_the_providers_defaults(plugin: Plugin) -> None:
    planned = plugin.plan("aws_sqs_queue", {"name": "jobs"}).planned
    assert planned["visibility_timeout_seconds"] == 30
    assert planned["message_retention_seconds"] == 345_600
    assert planned["max_message_size"] == 262_144
    assert planned["receive_wait_time_seconds"] == 0
    assert planned["fifo_queue"] is False


def test_a_function_gets_the_providers_defaults(plugin: Plugin) -> None:
    config = {
        "function_name": "f",
        "role": ROLE,
        "filename": "f.zip",
        "handler": "h.h",
        "runtime": "python3.13",
    }
    planned = plugin.plan("aws_lambda_function", config).planned
    expected = {"timeout": 3, "memory_size": 128, "package_type": "Zip", "reserved_concurrent_executions": -1}
    assert {name: planned[name] for name in expected} == expected


def test_what_is_written_wins_over_a_default(plugin: Plugin) -> None:
    assert plugin.plan("aws_sqs_queue", {"name": "a", "delay_seconds": 7}).planned["delay_seconds"] == 7


def test_computed_values_of_a_new_resource_are_unknown(plugin: Plugin) -> None:
    planned = plugin.plan("aws_sqs_queue", {"name": "jobs"}).planned
    assert all(planned[name] is UNKNOWN for name in ("arn", "id", "url", "policy", "name_prefix"))
    assert planned["name"] == "jobs"


def test_a_block_that_the_service_fills_in_is_unknown_until_it_did(plugin: Plugin) -> None:
    config = {
        "function_name": "f",
        "role": ROLE,
        "filename": "f.zip",
        "handler": "h.h",
        "runtime": "python3.13",
    }
    assert plugin.plan("aws_lambda_function", config).planned["logging_config"] is UNKNOWN
    state = applied(
        plugin,
        "aws_lambda_function",
        config,
        logging_config=[{"log_format": "Text", "log_group": "/aws/lambda/f"}],
    )
    planned = plugin.plan("aws_lambda_function", config, state).planned
    assert planned["logging_config"][0]["log_group"] == "/aws/lambda/f"


def test_computed_values_inside_a_new_block_are_unknown(plugin: Plugin) -> None:
    config: Values = {
        "name": "table",
        "billing_mode": "PAY_PER_REQUEST",
        "hash_key": "pk",
        "attribute": [{"name": "pk", "type": "S"}],
        "point_in_time_recovery": [{"enabled": True}],
    }
    planned = plugin.plan("aws_dynamodb_table", config).planned
    assert planned["point_in_time_recovery"][0]["recovery_period_in_days"] is UNKNOWN


def test_an_update_keeps_computed_values(plugin: Plugin) -> None:
    state = applied(plugin, "aws_sqs_queue", {"name": "jobs"}, id=URL, url=URL, arn="arn:aws:sqs:::jobs")
    planned = plugin.plan("aws_sqs_queue", {"name": "jobs", "delay_seconds": 5}, state).planned
    assert (planned["id"], planned["arn"], planned["delay_seconds"]) == (URL, "arn:aws:sqs:::jobs", 5)


def test_nothing_changed_plans_the_state_as_it_is(plugin: Plugin) -> None:
    for config in ({"name": "jobs"}, {"name": "jobs.fifo", "fifo_queue": True, "tags": {"job": "charge"}}):
        state = applied(plugin, "aws_sqs_queue", config, id=URL)
        plan = plugin.plan("aws_sqs_queue", config, state)
        assert plan.planned == state
        assert plan.replaces == []


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"name": "other.fifo", "fifo_queue": True}, "name"),
        ({"name": "jobs.fifo", "region": "us-east-1"}, "region"),
    ],
)
def test_a_change_of_what_cannot_change_replaces(plugin: Plugin, config: Values, path: str) -> None:
    state = applied(plugin, "aws_sqs_queue", {"name": "jobs.fifo", "fifo_queue": True}, id=URL)
    assert path in plugin.plan("aws_sqs_queue", {"fifo_queue": True, **config}, state).replaces


def test_a_change_of_anything_else_does_not_replace(plugin: Plugin) -> None:
    state = applied(plugin, "aws_sqs_queue", {"name": "jobs"}, id=URL)
    assert plugin.plan("aws_sqs_queue", {"name": "jobs", "delay_seconds": 5}, state).replaces == []


def test_a_value_that_is_known_only_later_replaces_where_a_change_would(plugin: Plugin) -> None:
    state = applied(plugin, "aws_sqs_queue_policy", {"queue_url": URL, "policy": "{}"}, id=URL)
    plan = plugin.plan("aws_sqs_queue_policy", {"queue_url": UNKNOWN, "policy": "{}"}, state)
    assert plan.replaces == ["queue_url"]


def test_a_policy_that_means_the_same_is_no_change(plugin: Plugin) -> None:
    def policy(action: Any) -> str:
        return json.dumps({"Statement": [{"Effect": "Allow", "Action": action, "Resource": ["*"]}]}, indent=2)

    state = applied(
        plugin, "aws_sqs_queue_policy", {"queue_url": URL, "policy": policy(["a:1", "a:2"])}, id=URL
    )

    def planned(text: str) -> Any:
        return plugin.plan("aws_sqs_queue_policy", {"queue_url": URL, "policy": text}, state).planned[
            "policy"
        ]

    assert planned(policy(["a:2", "a:1"])) == state["policy"]
    assert planned(policy(["a:2", "a:3"])) != state["policy"]


def test_a_redrive_policy_compares_as_json_not_as_text(plugin: Plugin) -> None:
    config = {"queue_url": URL, "redrive_policy": '{"maxReceiveCount":5,"deadLetterTargetArn":"arn"}'}
    state = applied(plugin, "aws_sqs_queue_redrive_policy", config, id=URL)
    other = {**config, "redrive_policy": '{ "deadLetterTargetArn": "arn", "maxReceiveCount": 5 }'}
    assert plugin.plan("aws_sqs_queue_redrive_policy", other, state).planned == state


def test_a_function_named_by_its_arn_is_the_same_function(plugin: Plugin) -> None:
    config = {"function_name": "consumer", "event_source_arn": "arn:aws:sqs:r:1:jobs.fifo"}
    arn = "arn:aws:lambda:r:1:function:consumer"
    state = applied(
        plugin, "aws_lambda_event_source_mapping", config, id="1", function_name=arn, batch_size=10
    )
    assert plugin.plan("aws_lambda_event_source_mapping", config, state).planned == state


def test_the_order_of_a_set_is_no_change(plugin: Plugin) -> None:
    attributes = [{"name": "pk", "type": "S"}, {"name": "sk", "type": "S"}]
    keys: Values = {"hash_key": "pk", "range_key": "sk", "attribute": attributes}
    config: Values = {"name": "table", "billing_mode": "PAY_PER_REQUEST", **keys}
    state = applied(plugin, "aws_dynamodb_table", config, id="table")
    state["attribute"] = list(reversed(attributes))
    planned = plugin.plan("aws_dynamodb_table", config, state).planned
    assert sorted(item["name"] for item in planned["attribute"]) == ["pk", "sk"]
    assert plugin.plan("aws_dynamodb_table", config, state).replaces == []


def test_default_tags_are_part_of_all_tags(plugin: Plugin) -> None:
    planned = plugin.plan("aws_sqs_queue", {"name": "jobs", "tags": {"job": "charge"}}).planned
    assert planned["tags"] == {"job": "charge"}
    assert planned["tags_all"] == {"project": "fanout-once", "job": "charge"}


def test_a_resources_own_tag_wins_over_a_default_tag(plugin: Plugin) -> None:
    planned = plugin.plan("aws_sqs_queue", {"name": "jobs", "tags": {"project": "other"}}).planned
    assert planned["tags_all"] == {"project": "other"}


def test_tags_that_are_not_known_leave_all_tags_unknown(plugin: Plugin) -> None:
    assert plugin.plan("aws_sqs_queue", {"name": "jobs", "tags": UNKNOWN}).planned["tags_all"] is UNKNOWN


def test_a_resource_without_a_region_is_planned_in_the_providers(plugin: Plugin) -> None:
    assert plugin.plan("aws_sqs_queue", {"name": "jobs"}).planned["region"] == "ap-northeast-1"
    assert (
        plugin.plan("aws_sqs_queue", {"name": "jobs", "region": "eu-west-1"}).planned["region"] == "eu-west-1"
    )


def test_new_code_makes_what_depends_on_it_unknown(plugin: Plugin) -> None:
    config = {
        "function_name": "f",
        "role": ROLE,
        "filename": "f.zip",
        "handler": "h.h",
        "runtime": "python3.13",
        "source_code_hash": "old",
    }
    state = applied(
        plugin, "aws_lambda_function", config, id="f", code_sha256="old", last_modified="then", version="1"
    )
    planned = plugin.plan("aws_lambda_function", {**config, "source_code_hash": "new"}, state).planned
    assert planned["code_sha256"] is UNKNOWN
    assert planned["last_modified"] is UNKNOWN
    assert planned["version"] == "1", "only publishing makes a version"
    published = plugin.plan(
        "aws_lambda_function", {**config, "source_code_hash": "new", "publish": True}, state
    ).planned
    assert published["version"] is UNKNOWN


@pytest.mark.parametrize("type_name", sorted(RESOURCES))
def test_a_declaration_names_only_what_the_schema_has(type_name: str) -> None:
    paths = set(load().resources[type_name].paths())
    declared = RESOURCES[type_name]
    for names in (
        declared.arguments,
        declared.refused,
        declared.defaults,
        declared.force_new,
        declared.computed_blocks,
        declared.equivalent,
    ):
        assert set(names) <= paths
