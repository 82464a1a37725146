"""The stand-in is honest: what it cannot do it says, and it speaks to loopback only."""

from __future__ import annotations

import pytest

from local.provider.data_sources import DATA_SOURCES
from local.provider.engine.aws import Aws, is_loopback
from local.provider.engine.errors import Problem
from local.provider.engine.schema import load
from local.provider.engine.servicer import Servicer
from local.provider.engine.values import UNKNOWN, Values
from local.provider.resources import RESOURCES
from tests.local.provider.plugin import ENDPOINT, Plugin, full

ROLE = "arn:aws:iam::111122223333:role/consumer"
FUNCTION: Values = {"function_name": "f", "role": ROLE, "handler": "h.h", "runtime": "python3.13"}


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:4566", "https://127.8.9.10", "http://localhost:1", "http://[::1]:4566"]
)
def test_loopback_is_accepted(url: str) -> None:
    assert is_loopback(url)
    assert Plugin().configure(region="us-east-1", endpoints=[{"sqs": url}]) == []


@pytest.mark.parametrize(
    "url",
    [
        "https://sqs.us-east-1.amazonaws.com",
        "http://0.0.0.0:4566",
        "http://10.0.0.1:4566",
        "http://localhost.example.com",
        "http://127.0.0.1.example.com",
        "http://127.0.0.1@example.com",
        "http://[::2]:4566",
        "ftp://127.0.0.1",
        "127.0.0.1:4566",
        "http://2130706433",
    ],
)
def test_anything_else_is_refused_and_named(url: str) -> None:
    problems = Plugin().configure(region="us-east-1", endpoints=[{"sqs": ENDPOINT, "lambda": url}])
    assert problems == ["provider aws: the endpoint of lambda is not on loopback"]


def test_a_provider_without_endpoints_is_refused() -> None:
    assert Plugin().configure(region="us-east-1") == ["provider aws has no endpoints"]


def test_a_service_without_an_endpoint_is_refused_when_it_is_needed() -> None:
    aws = Aws("us-east-1", {"sqs": ENDPOINT}, {}, {"aws_access_key_id": "a"})
    with pytest.raises(Problem, match="no loopback endpoint for iam"):
        aws.client("iam")


def test_an_endpoint_that_is_not_known_yet_is_refused() -> None:
    assert "known only after an apply" in Plugin().configure(endpoints=[{"sqs": UNKNOWN}])[0]


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example.com:3128")
    credentials = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
    client = Aws("us-east-1", {"sqs": ENDPOINT}, {}, credentials).client("sqs")
    assert client._endpoint.http_session._proxy_config.proxy_url_for(ENDPOINT) is None


def test_a_provider_argument_that_is_not_carried_out_is_refused() -> None:
    problems = Plugin().configure(
        region="us-east-1", endpoints=[{"sqs": ENDPOINT}], assume_role=[{"role_arn": ROLE}]
    )
    assert problems == ["provider aws.assume_role is not implemented by the stand-in for hashicorp/aws"]


def test_a_provider_without_a_region_is_refused() -> None:
    assert Plugin().configure(endpoints=[{"sqs": ENDPOINT}]) == ["provider aws has no region"]


def test_region_and_credentials_may_come_from_the_environment() -> None:
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    config = full(load().provider, {"endpoints": [{"sqs": ENDPOINT}]})
    aws = Aws.configured(config, {"AWS_REGION": "eu-west-1", **keys})
    assert aws.region == "eu-west-1"
    assert aws.client("sqs")._request_signer._credentials.access_key == "a"
    written = Aws.configured({**config, "region": "us-east-1", "access_key": "c", "secret_key": "d"}, keys)
    assert (written.region, written.credentials["aws_access_key_id"]) == ("us-east-1", "c")


def test_credentials_of_the_machine_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Profiles and keys of this process are for accounts of AWS."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    aws = Aws("us-east-1", {"sqs": ENDPOINT}, {}, {"aws_access_key_id": "a"})
    with pytest.raises(Problem, match="provider aws has no credentials"):
        aws.client("sqs")


def test_two_connections_keep_two_configurations() -> None:
    servicer = Servicer(RESOURCES, DATA_SOURCES, {})
    tokyo = Plugin("ipv4:127.0.0.1:1", servicer).configured(region="ap-northeast-1")
    oregon = Plugin("ipv4:127.0.0.1:2", servicer).configured(region="us-west-2")
    assert tokyo.plan("aws_sqs_queue", {"name": "a"}).planned["region"] == "ap-northeast-1"
    assert oregon.plan("aws_sqs_queue", {"name": "a"}).planned["region"] == "us-west-2"


def test_a_connection_without_a_configuration_plans_nothing() -> None:
    assert Plugin().plan("aws_sqs_queue", {"name": "a"}).problems == ["provider aws is not configured"]


def test_a_type_that_is_not_implemented_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = Plugin(servicer=Servicer({}, DATA_SOURCES, {})).configured()
    assert plugin.plan("aws_sqs_queue", {"name": "a"}).problems == [
        "aws_sqs_queue is not implemented by the stand-in for hashicorp/aws"
    ]


@pytest.mark.parametrize(
    ("type_name", "config", "argument"),
    [
        ("aws_iam_role", {"assume_role_policy": "{}", "managed_policy_arns": ["arn"]}, "managed_policy_arns"),
        ("aws_lambda_function", {**FUNCTION, "image_uri": "i"}, "image_uri"),
        ("aws_lambda_function", {**FUNCTION, "snap_start": [{"apply_on": "None"}]}, "snap_start"),
        ("aws_lambda_function", {**FUNCTION, "filename": UNKNOWN, "code_signing_config_arn": UNKNOWN},
         "code_signing_config_arn"),
        ("aws_dynamodb_table", {"name": "t", "replica": [{"region_name": "us-east-1"}]}, "replica"),
        (
            "aws_scheduler_schedule",
            {"target": [{"arn": "a", "role_arn": "r", "kinesis_parameters": [{"partition_key": "k"}]}]},
            "target.kinesis_parameters",
        ),
        (
            "aws_dynamodb_table",
            {"global_secondary_index": [{"name": "i", "projection_type": "ALL", "warm_throughput": [{}]}]},
            "global_secondary_index.warm_throughput",
        ),
    ],
)  # fmt: skip
def test_an_argument_that_is_not_implemented_is_refused_by_name(
    type_name: str, config: Values, argument: str
) -> None:
    plan = Plugin().configured().plan(type_name, config)
    assert plan.problems == [f"{type_name}.{argument} is not implemented by the stand-in for hashicorp/aws"]
    assert "PROVIDER=registry" in plan.details[0]


@pytest.mark.parametrize("type_name", sorted(RESOURCES))
def test_no_argument_outside_the_declaration_is_taken(type_name: str) -> None:
    """Whatever the schema has and the declaration lacks is refused, one argument at a time."""
    plugin, block, declared = Plugin().configured(), load().resources[type_name], RESOURCES[type_name]
    engine = {"id", "region", "tags", "tags_all", "timeouts"}
    for name, attribute in block.attributes.items():
        if name in engine or not (attribute.required or attribute.optional):
            continue
        problems = plugin.plan(type_name, {name: UNKNOWN}).problems
        refused = f"{type_name}.{name} is not implemented by the stand-in for hashicorp/aws" in problems
        assert refused != (name in declared.arguments), name
    for name, nested in block.blocks.items():
        if name in engine:
            continue
        item = nested.body.null()
        problems = plugin.plan(type_name, {name: item if nested.nesting == "single" else [item]}).problems
        refused = f"{type_name}.{name} is not implemented by the stand-in for hashicorp/aws" in problems
        taken = any(path == name or path.startswith(f"{name}.") for path in declared.arguments)
        assert refused != taken, name


@pytest.mark.parametrize("type_name", [name for name, declared in RESOURCES.items() if not declared.applied])
def test_a_type_that_is_planned_only_is_refused_by_an_apply(type_name: str) -> None:
    declared, aws = RESOURCES[type_name], Aws("us-east-1", {}, {}, {})
    for call in (declared.create, declared.read, declared.delete):
        with pytest.raises(Problem, match=f"{type_name} cannot be applied here"):
            call(aws, {})


def test_an_endpoint_that_does_not_answer_is_a_diagnostic() -> None:
    plugin = Plugin().configured(access_key="a", secret_key="b", max_retries=1)
    with pytest.raises(AssertionError, match="did not answer"):
        plugin.read_data("aws_caller_identity", {})
