"""The rules of values: each kind at its edges, and how a table of them is run over a configuration.

What each argument of each type refuses is probed in `tests/local/probes`.
"""

from __future__ import annotations

from typing import Any

import pytest

from local.provider.engine import rules
from local.provider.engine.rules import CollectionRule, ValueRule
from local.provider.engine.schema import load
from local.provider.engine.values import UNKNOWN, Values
from local.provider.rules import PLANNED, VALIDATED
from local.provider.schema import DATA_SOURCES, RESOURCES
from tests.local.provider.plugin import Plugin

QUEUE_ARN = "arn:aws:sqs:ap-northeast-1:111122223333:charge.fifo"


@pytest.mark.parametrize(
    ("rule", "passes", "refused"),
    [
        (rules.Range(0, 900), [0, 900, 1.5], [-1, 901]),
        (rules.Range(2), [2, 10**9], [1]),
        (rules.Multiple(60), [0, 60, 120], [1, 90]),
        (rules.Length(1, 6), ["a", "abcdef", "給与"], ["", "abcdefg", "給与所"]),
        (rules.OneOf("Sum", "Average"), ["Sum"], ["sum", ""]),
        (rules.OneOf("Sum", ignore_case=True), ["sum", "SUM"], ["sums"]),
        (rules.Pattern("[a-z]+", "be lower"), ["charge"], ["", "Charge", "charge\n", "\uff11"]),
        (rules.Pattern(r"\d+", "be digits"), ["1"], ["\uff11"]),
        (rules.Arn(), [QUEUE_ARN, "", "arn:aws-us-gov:iam::aws:policy/x", "arn:aws:s3:::é"], [
            "q", "arn:aws:sqs", "arn:AWS:sqs:::q", "arn::sqs:::q", "arn:aws:sqs:tokyo:111122223333:q",
            "arn:aws:sqs:ap-northeast-1:1111:q", "arn:aws:sqs:ap-northeast-1:111122223333:",
            "ARN:aws:sqs:::q", "arn:aws:sqs:ap-northeast-1 :111122223333:q", " arn:aws:sqs:::q",
        ]),
        (rules.Arn("events", "event-bus/.+"), ["arn:aws:events:us-east-1:111122223333:event-bus/jobs"], [
            QUEUE_ARN, "arn:aws:events:us-east-1:111122223333:rule/jobs",
        ]),
        (rules.Region(), ["", "us-east-1", "us-gov-west-1", "eusc-de-east-1"], [
            "tokyo", "us-east-12", "US-EAST-1",
        ]),
        (rules.AccountId(), ["111122223333"], ["", "11112222333", "1111222233334", "1\uff11"]),
        (rules.Json(), ["", "{}", "[1]", "null", '{"a": 1, "a": 2}'], [
            "nope", "{", "{'a': 1}", "NaN", " ", "1e999",
        ]),
        (rules.PolicyJson(), ["{}", ' {"a": 1} '], [
            "", "[]", '"{}"', "{", '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}',
        ]),
        (rules.JsonWithin(9), ["", '{"a":  1}', '{ "a" : 123 }'], ['{"a":12345}', "nope"]),
        (rules.Timestamp(), ["2030-01-02T03:04:05Z", "2030-01-02T3:04:05.5+09:00"], [
            "", "2030-01-02", "2030-02-30T00:00:00Z", "2030-01-02T03:04:05", "2030-01-02 03:04:05Z",
        ]),
        (rules.NotEmpty(), ["a", " "], [""]),
        (rules.AnyOf(rules.OneOf(-1), rules.Range(60, 90)), [-1, 60, 90], [0, 59, 91]),
        (rules.Not(rules.Arn(), "be a name"), ["payroll"], [QUEUE_ARN]),
        (rules.Items(2, low=1), [["a"], ["a", "b"]], [[], ["a", "b", "c"]]),
        (rules.Keys(rules.NotEmpty()), [{"a": 1}, {}], [{"": 1}]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ValueRule | CollectionRule) else "",
)  # fmt: skip
def test_a_kind_of_rule_at_its_edges(
    rule: ValueRule | CollectionRule, passes: list[Any], refused: list[Any]
) -> None:
    assert [value for value in passes if rule.complaint(value)] == []
    assert [value for value in refused if not rule.complaint(value)] == []


@pytest.mark.parametrize("name", [*RESOURCES, *(f"data.{name}" for name in DATA_SOURCES)])
def test_a_table_names_only_what_the_schema_has(name: str) -> None:
    known = load()
    bodies = known.data_sources if name.startswith("data.") else known.resources
    paths = set(bodies[name.removeprefix("data.")].paths())
    assert set(VALIDATED[name].table) | set(VALIDATED[name].fractions) <= paths


def test_rules_of_plans_belong_to_types_of_the_schema() -> None:
    assert set(PLANNED) <= set(RESOURCES)


def validated(config: Values, type_name: str = "aws_sqs_queue") -> list[str]:
    return Plugin().validate(type_name, config)


def test_a_refusal_names_the_argument_the_rule_and_what_was_written() -> None:
    plugin = Plugin()
    assert plugin.validate("aws_sqs_queue", {"delay_seconds": 901}) == [
        "aws_sqs_queue: invalid delay_seconds"
    ]
    assert plugin.details == ["delay_seconds must be from 0 to 900, not 901."]


@pytest.mark.parametrize("value", [1.5, 0.1, -2.5])
def test_every_number_is_whole_but_for_a_few(value: float) -> None:
    assert validated({"visibility_timeout_seconds": value}) == [
        "aws_sqs_queue: invalid visibility_timeout_seconds"
    ]
    retry: Values = {"retry_policy": [{"maximum_retry_attempts": value}]}
    assert validated(retry, "aws_cloudwatch_event_target") == [
        "aws_cloudwatch_event_target: invalid retry_policy.maximum_retry_attempts"
    ]
    assert validated({"metric_name": "Age", "threshold": value}, "aws_cloudwatch_metric_alarm") == []
    weights: Values = {"routing_config": [{"additional_version_weights": {"2": value}}]}
    assert validated(weights, "aws_lambda_alias") == []


def test_a_value_that_is_not_known_yet_passes_validation() -> None:
    assert validated({"name": UNKNOWN, "visibility_timeout_seconds": UNKNOWN, "policy": UNKNOWN}) == []


def test_a_block_that_is_partly_unknown_waits_as_a_whole() -> None:
    target: Values = {
        "arn": QUEUE_ARN,
        "role_arn": UNKNOWN,
        "retry_policy": [{"maximum_retry_attempts": 186}],
    }
    assert validated({"target": [target]}, "aws_scheduler_schedule") == []
    known = {**target, "role_arn": "arn:aws:iam::111122223333:role/scheduler"}
    assert validated({"target": [known]}, "aws_scheduler_schedule") == [
        "aws_scheduler_schedule: invalid target.retry_policy.maximum_retry_attempts"
    ]


def test_a_type_of_the_framework_checks_each_value_that_is_known() -> None:
    rule: Values = {"id": UNKNOWN, "status": "On"}
    assert validated({"rule": [rule]}, "aws_s3_bucket_lifecycle_configuration") == [
        "aws_s3_bucket_lifecycle_configuration: invalid rule.status"
    ]


def test_an_exclusive_argument_that_may_turn_out_to_be_null_passes_validation() -> None:
    assert validated({"kms_master_key_id": UNKNOWN, "sqs_managed_sse_enabled": UNKNOWN}) == []
    assert validated({"kms_master_key_id": "k", "sqs_managed_sse_enabled": UNKNOWN}) == []


def test_an_empty_argument_is_written_and_an_empty_list_of_blocks_is_not() -> None:
    queries: Values = {"metric_query": [{"id": "age", "expression": "1"}]}
    assert validated({**queries, "dimensions": {}}, "aws_cloudwatch_metric_alarm") == [
        "aws_cloudwatch_metric_alarm: invalid dimensions"
    ]
    assert validated({"metric_name": "Age", "metric_query": []}, "aws_cloudwatch_metric_alarm") == []


def test_one_of_several_arguments_may_turn_out_to_be_the_one_that_is_written() -> None:
    undecided: Values = {"alarm_name": "a", "metric_name": UNKNOWN, "metric_query": UNKNOWN}
    assert validated(undecided, "aws_cloudwatch_metric_alarm") == []


def test_what_is_needed_beside_it_may_still_be_unknown() -> None:
    assert validated({"rotation_period_in_days": 90, "enable_key_rotation": UNKNOWN}, "aws_kms_key") == []
    assert validated({"rotation_period_in_days": 90}, "aws_kms_key") == [
        "aws_kms_key: invalid rotation_period_in_days"
    ]


def test_versioning_is_suspended_not_turned_off() -> None:
    plugin = Plugin().configured()
    before: Values = {"bucket": "payloads", "versioning_configuration": [{"status": "Enabled"}]}
    after: Values = {"bucket": "payloads", "versioning_configuration": [{"status": "Disabled"}]}
    prior = {**before, "id": "payloads"}
    assert plugin.plan("aws_s3_bucket_versioning", after, prior).problems == [
        "versioning cannot go from Enabled to Disabled"
    ]
    assert plugin.plan("aws_s3_bucket_versioning", after).problems == []


def test_a_queue_that_exists_keeps_a_name_that_a_new_one_could_not_have() -> None:
    plugin, config = Plugin().configured(), {"name": "charge jobs"}
    assert plugin.plan("aws_sqs_queue", config).problems == ["invalid queue name: charge jobs"]
    assert plugin.plan("aws_sqs_queue", config, {**config, "id": "url"}).problems == []
