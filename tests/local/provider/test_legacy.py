"""What plugin-sdk v2 makes of a planned value, in the types that the genuine provider has on it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from local.provider.engine.documents import compact_document, compact_pattern, compact_role_policy
from local.provider.engine.values import UNKNOWN, Values
from tests.local.provider.plugin import Plugin

ROLE = "arn:aws:iam::111122223333:role/consumer"
TOPIC = "arn:aws:sns:ap-northeast-1:111122223333:critical"
QUEUE = "arn:aws:sqs:ap-northeast-1:111122223333:jobs"
FUNCTION: Values = {
    "function_name": "f",
    "role": ROLE,
    "filename": "f.zip",
    "handler": "h.h",
    "runtime": "python3.13",
}
ALARM: Values = {
    "alarm_name": "a",
    "comparison_operator": "GreaterThanThreshold",
    "evaluation_periods": 1,
    "threshold": 1,
}
METRIC: Values = {
    **ALARM,
    "metric_name": "Errors",
    "namespace": "AWS/Lambda",
    "period": 60,
    "statistic": "Sum",
}
MAPPING: Values = {"event_source_arn": QUEUE, "function_name": "f"}


@pytest.fixture
def plugin() -> Plugin:
    return Plugin().configured()


def query(**metric: Any) -> Values:
    return {"id": "m", "metric": [{"metric_name": "Errors", "period": 60, "stat": "Sum", **metric}]}


@pytest.mark.parametrize(
    ("type_name", "config", "path"),
    [
        ("aws_sqs_queue", {"name": "q", "tags": {"a": "1", "b": UNKNOWN}}, ("tags",)),
        ("aws_sqs_queue", {"name": "q", "tags": {"a": "1", "b": UNKNOWN}}, ("tags_all",)),
        (
            "aws_lambda_function",
            {**FUNCTION, "environment": [{"variables": {"A": "1", "QUEUE_URL": UNKNOWN}}]},
            ("environment", 0, "variables"),
        ),
        ("aws_lambda_function", {**FUNCTION, "layers": ["arn:aws:lambda:::x", UNKNOWN]}, ("layers",)),
        ("aws_cloudwatch_metric_alarm", {**METRIC, "dimensions": {"A": "1", "B": UNKNOWN}}, ("dimensions",)),
        ("aws_cloudwatch_metric_alarm", {**METRIC, "alarm_actions": [TOPIC, UNKNOWN]}, ("alarm_actions",)),
        (
            "aws_cloudwatch_metric_alarm",
            {**ALARM, "metric_query": [query(dimensions={"A": "1", "B": UNKNOWN})]},
            ("metric_query", 0, "metric", 0, "dimensions"),
        ),
        (
            "aws_cloudwatch_event_target",
            {
                "rule": "r",
                "arn": QUEUE,
                "input_transformer": [{"input_template": "x", "input_paths": {"a": "$.a", "b": UNKNOWN}}],
            },
            ("input_transformer", 0, "input_paths"),
        ),
    ],
)
def test_one_unknown_element_makes_the_whole_unknown(
    plugin: Plugin, type_name: str, config: Values, path: tuple[str | int, ...]
) -> None:
    value: Any = plugin.plan(type_name, config).planned
    for step in path:
        value = value[step]
    assert value is UNKNOWN


def test_a_type_on_plugin_framework_keeps_the_other_elements(plugin: Plugin) -> None:
    tags = {"a": "1", "b": UNKNOWN}
    rule = {"id": "r", "status": "Enabled", "filter": [{"and": [{"prefix": "x", "tags": tags}]}]}
    config = {"bucket": "bucket", "rule": [rule]}
    planned = plugin.plan("aws_s3_bucket_lifecycle_configuration", config).planned
    assert planned["rule"][0]["filter"][0]["and"][0]["tags"] == tags


def test_an_update_makes_it_unknown_too(plugin: Plugin) -> None:
    prior = {
        name: None if value is UNKNOWN else value for name, value in _planned(plugin, {"A": "1"}).items()
    }
    assert _planned(plugin, {"A": UNKNOWN, "B": "1"}, prior)["dimensions"] is UNKNOWN


def _planned(plugin: Plugin, dimensions: Values, prior: Values | None = None) -> Values:
    config = {**METRIC, "dimensions": dimensions}
    return plugin.plan("aws_cloudwatch_metric_alarm", config, prior).planned


def test_a_null_element_of_a_map_is_not_there(plugin: Plugin) -> None:
    planned = plugin.plan("aws_sqs_queue", {"name": "q", "tags": {"a": None, "b": "1"}}).planned
    assert (planned["tags"], planned["tags_all"]) == ({"b": "1"}, {"b": "1"})


def test_a_null_element_of_a_set_is_refused(plugin: Plugin) -> None:
    answer = plugin.plan("aws_cloudwatch_metric_alarm", {**METRIC, "alarm_actions": [None]})
    assert answer.problems == ["Null value found in list"]


def test_an_empty_set_or_map_is_one_that_is_not_written(plugin: Plugin) -> None:
    actions = ("alarm_actions", "insufficient_data_actions", "ok_actions")
    config = {**METRIC, "tags": {}, "dimensions": {}, **{name: [] for name in actions}}
    planned = plugin.plan("aws_cloudwatch_metric_alarm", config).planned
    assert {planned[name] for name in (*actions, "tags", "dimensions")} == {None}
    assert plugin.plan("aws_lambda_function", {**FUNCTION, "layers": []}).planned["layers"] == []


def test_what_was_there_is_emptied_not_forgotten(plugin: Plugin) -> None:
    config = {**METRIC, "alarm_actions": [TOPIC]}
    planned = plugin.plan("aws_cloudwatch_metric_alarm", config).planned
    prior = {name: None if value is UNKNOWN else value for name, value in planned.items()}
    changed = plugin.plan("aws_cloudwatch_metric_alarm", {**METRIC, "alarm_actions": []}, prior)
    assert changed.planned["alarm_actions"] == []


def test_members_of_a_set_of_blocks_have_empty_texts_and_lists(plugin: Plugin) -> None:
    planned = plugin.plan("aws_cloudwatch_metric_alarm", {**ALARM, "metric_query": [query()]}).planned
    (made,) = planned["metric_query"]
    assert {made[name] for name in ("account_id", "expression", "label")} == {""}
    assert made["period"] is None
    assert (made["metric"][0]["unit"], made["metric"][0]["namespace"]) == ("", "")
    table = {
        "name": "table",
        "billing_mode": "PAY_PER_REQUEST",
        "hash_key": "pk",
        "attribute": [{"name": "pk", "type": "S"}],
        "global_secondary_index": [{"name": "g", "hash_key": "pk", "projection_type": "ALL"}],
    }
    (index,) = plugin.plan("aws_dynamodb_table", table).planned["global_secondary_index"]
    assert (index["non_key_attributes"], index["range_key"]) == ([], "")


def test_an_empty_text_that_the_service_fills_in_is_not_written(plugin: Plugin) -> None:
    planned = plugin.plan("aws_kms_key", {"description": ""}).planned
    assert planned["description"] is UNKNOWN
    prior = {name: None if value is UNKNOWN else value for name, value in planned.items()}
    kept = plugin.plan("aws_kms_key", {"description": "", "is_enabled": False}, {**prior, "description": "a"})
    assert kept.planned["description"] == "a"
    assert plugin.plan("aws_lambda_function", {**FUNCTION, "description": ""}).planned["description"] == ""


@pytest.mark.parametrize("tags", [{}, None, {"a": "", "b": "1"}])
def test_all_tags_are_unknown_without_any_and_with_one_that_has_no_value(plugin: Plugin, tags: Any) -> None:
    assert plugin.plan("aws_sqs_queue", {"name": "q", "tags": tags}).planned["tags_all"] is UNKNOWN


@pytest.mark.parametrize("tags", [{}, {"a": "", "b": "1"}])
def test_all_tags_that_are_there_stay_as_they_are(plugin: Plugin, tags: Any) -> None:
    planned = plugin.plan("aws_sqs_queue", {"name": "q", "tags": tags}).planned
    prior = {name: None if value is UNKNOWN else value for name, value in planned.items()}
    again = plugin.plan("aws_sqs_queue", {"name": "q", "tags": tags}, {**prior, "id": "u", "tags_all": tags})
    assert again.planned["tags_all"] == tags


def test_what_belongs_to_other_sources_of_a_mapping_is_the_service_s(plugin: Plugin) -> None:
    planned = plugin.plan("aws_lambda_event_source_mapping", MAPPING).planned
    for name in ("amazon_managed_kafka_event_source_config", "self_managed_kafka_event_source_config"):
        assert planned[name] is UNKNOWN
    assert planned["destination_config"] == []
    source = [{"sqs_queue_parameters": [{"batch_size": 1}]}]
    pipe = {"role_arn": ROLE, "source": QUEUE, "target": QUEUE, "source_parameters": source}
    (parameters,) = plugin.plan("aws_pipes_pipe", pipe).planned["source_parameters"]
    assert parameters["dynamodb_stream_parameters"] is UNKNOWN


def test_what_is_no_difference_to_the_service_is_not_planned(plugin: Plugin) -> None:
    environment: list[Values] = [{"variables": {}}]
    assert (
        plugin.plan("aws_lambda_function", {**FUNCTION, "environment": environment}).planned["environment"]
        == []
    )
    rule = {"name": "r", "schedule_expression": "rate(1 day)"}
    assert plugin.plan("aws_cloudwatch_event_rule", rule).planned["state"] is None
    table: Values = {
        "name": "table",
        "billing_mode": "PAY_PER_REQUEST",
        "hash_key": "pk",
        "attribute": [{"name": "pk", "type": "S"}],
    }
    assert plugin.plan("aws_dynamodb_table", table).planned["table_class"] is None
    other = {**table, "table_class": "STANDARD_INFREQUENT_ACCESS"}
    assert plugin.plan("aws_dynamodb_table", other).planned["table_class"] == "STANDARD_INFREQUENT_ACCESS"


SPACED = '{ "Version": "2012-10-17", "Statement": [] }'
COMPACT = '{"Statement":[],"Version":"2012-10-17"}'


@pytest.mark.parametrize(
    ("type_name", "config", "argument"),
    [
        ("aws_cloudwatch_dashboard", {"dashboard_name": "d"}, "dashboard_body"),
        ("aws_iam_policy", {"name": "p"}, "policy"),
        ("aws_iam_role", {"name": "r"}, "assume_role_policy"),
        ("aws_kms_key", {}, "policy"),
        ("aws_s3_bucket_policy", {"bucket": "bucket"}, "policy"),
        ("aws_sns_topic", {"name": "t"}, "policy"),
        ("aws_sns_topic_policy", {"arn": TOPIC}, "policy"),
        (
            "aws_sns_topic_subscription",
            {"topic_arn": TOPIC, "protocol": "sqs", "endpoint": QUEUE},
            "filter_policy",
        ),
        ("aws_sqs_queue", {"name": "q"}, "policy"),
        ("aws_sqs_queue_policy", {"queue_url": "https://sqs/1/q"}, "policy"),
        ("aws_sqs_queue_redrive_policy", {"queue_url": "https://sqs/1/q"}, "redrive_policy"),
        ("aws_sqs_queue_redrive_allow_policy", {"queue_url": "https://sqs/1/q"}, "redrive_allow_policy"),
    ],
)
def test_documents_are_planned_without_spaces_and_in_order(
    plugin: Plugin, type_name: str, config: Values, argument: str
) -> None:
    assert plugin.plan(type_name, {**config, argument: SPACED}).planned[argument] == COMPACT


def test_the_version_comes_first_in_a_policy_of_a_role(plugin: Plugin) -> None:
    planned = plugin.plan("aws_iam_role_policy", {"role": "r", "policy": COMPACT}).planned
    assert planned["policy"] == '{"Version":"2012-10-17","Statement":[]}'


def test_documents_are_written_as_go_writes_them() -> None:
    assert compact_document('{"b": [1, 2.50, 1e3, 1e22], "a": "<&>"}') == (
        '{"a":"\\u003c\\u0026\\u003e","b":[1,2.5,1000,1e+22]}'
    )
    assert compact_pattern('{"a": ["<&>"]}') == '{"a":["<&>"]}'
    old = '{"Id":"x","Statement":[],"Version":"2008-10-17"}'
    assert compact_role_policy(old) == old
    assert compact_document("no JSON") == "no JSON"
    assert json.loads(compact_role_policy(SPACED)) == json.loads(SPACED)


def test_a_document_that_means_the_same_plans_no_change(plugin: Plugin) -> None:
    config = {"queue_url": "https://sqs/1/q", "policy": SPACED}
    planned = plugin.plan("aws_sqs_queue_policy", config).planned
    prior = {**planned, "id": "https://sqs/1/q"}
    assert plugin.plan("aws_sqs_queue_policy", config, prior).planned == prior
