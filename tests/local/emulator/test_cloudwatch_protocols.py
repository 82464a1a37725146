"""CloudWatch speaks Query, JSON and CBOR, and says the same in each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import botocore.session
import pytest
from botocore.exceptions import ClientError
from botocore.loaders import Loader

from local.emulator import Emulator
from tests.support.local_aws import ACCOUNT, REGION, policy

pytestmark = pytest.mark.emulator

PROTOCOLS = ("query", "json", "smithy-rpc-v2-cbor")
TOPIC = f"arn:aws:sns:{REGION}:{ACCOUNT}:nobody"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+0000")
# Text that a form, XML or JSON has to escape.
AWKWARD = "a & b <c> \"d\" 'e' ${f} %{g} + 100% = 東京 🙂\nnext, and a carriage\r\nreturn; x=y&z"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("protocols") / "emulator.log") as emulator:
        yield emulator


class _OneProtocol(Loader):
    """Service models of botocore, as if CloudWatch knew one protocol only."""

    protocol = ""

    def load_service_model(self, service_name: str, type_name: str, api_version: Any = None) -> Any:
        model = super().load_service_model(service_name, type_name, api_version)
        if service_name != "cloudwatch" or "metadata" not in model:
            return model
        chosen = {"protocol": self.protocol, "protocols": [self.protocol]}
        metadata = {**model["metadata"], **chosen}
        return {**model, "metadata": metadata}


def client(aws: Emulator, protocol: str, **credentials: str) -> Any:
    """A client of CloudWatch that speaks PROTOCOL; the root's unless CREDENTIALS are given."""
    core = botocore.session.Session({"profile": (None, None, None, None)})
    loader = _OneProtocol(core.get_component("data_loader").search_paths)
    loader.protocol = protocol
    core.register_component("data_loader", loader)
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", **credentials}
    create: Any = boto3.session.Session(botocore_session=core, region_name=REGION, **keys).client
    made = create("cloudwatch", endpoint_url=aws.endpoint)
    assert made.meta.service_model.resolved_protocol == protocol
    return made


def error(call: Any, **arguments: Any) -> dict[str, Any]:
    """How a call is refused: code, message, status."""
    with pytest.raises(ClientError) as refusal:
        call(**arguments)
    answer = refusal.value.response
    told = {field: answer["Error"][field] for field in ("Code", "Message")}
    return {**told, "Status": answer["ResponseMetadata"]["HTTPStatusCode"]}


def told(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what belongs to the one request."""
    return {key: value for key, value in answer.items() if key != "ResponseMetadata"}


METRIC_ALARM: dict[str, Any] = {
    "AlarmName": "one metric",
    "AlarmDescription": AWKWARD,
    "ActionsEnabled": False,
    "AlarmActions": [TOPIC],
    "OKActions": [],
    "Namespace": "Shop",
    "MetricName": "Failed",
    "Dimensions": [{"Name": "service", "Value": AWKWARD[:40]}, {"Name": "stage", "Value": "prod"}],
    "ExtendedStatistic": "p99.9",
    "Period": 60,
    "EvaluationPeriods": 3,
    "DatapointsToAlarm": 2,
    "Threshold": 0.25,
    "ComparisonOperator": "GreaterThanThreshold",
    "TreatMissingData": "notBreaching",
    "EvaluateLowSampleCountPercentile": "ignore",
    "Tags": [{"Key": "team", "Value": "a b+c"}, {"Key": "empty", "Value": ""}],
}
MATH_ALARM: dict[str, Any] = {
    "AlarmName": "math",
    "Metrics": [
        {
            "Id": "m1",
            "MetricStat": {
                "Metric": {
                    "Namespace": "Shop",
                    "MetricName": "Failed",
                    "Dimensions": [{"Name": "service", "Value": "charge"}],
                },
                "Period": 300,
                "Stat": "Sum",
                "Unit": "Count",
            },
            "ReturnData": False,
        },
        {"Id": "e1", "Expression": "IF(m1 > 1, m1, 0)", "Label": "failed & more", "ReturnData": True},
    ],
    "EvaluationPeriods": 1,
    "Threshold": 1e-7,
    "ComparisonOperator": "LessThanOrEqualToThreshold",
}
COMPOSITE: dict[str, Any] = {
    "AlarmName": "both",
    "AlarmRule": 'ALARM("one metric") OR ALARM(math)',
    "ActionsSuppressor": "one metric",
    "ActionsSuppressorWaitPeriod": 10,
    "ActionsSuppressorExtensionPeriod": 20,
    "Tags": [{"Key": "team", "Value": "pay"}],
}
DASHBOARD = json.dumps({"widgets": [{"type": "text", "properties": {"markdown": AWKWARD}}]})


def exchange(aws: Emulator, protocol: str) -> dict[str, Any]:
    """Every call that Terraform's provider makes, in one protocol; what was answered, by call."""
    cloudwatch = client(aws, protocol)
    everything: dict[str, Any] = {"AlarmTypes": ["MetricAlarm", "CompositeAlarm"]}
    found: dict[str, Any] = {"none": told(cloudwatch.describe_alarms(**everything))}
    for values in (METRIC_ALARM, MATH_ALARM):
        found[f"put {values['AlarmName']}"] = told(cloudwatch.put_metric_alarm(**values))
    cloudwatch.put_composite_alarm(**COMPOSITE)
    found["alarms"] = told(cloudwatch.describe_alarms(**everything))
    found["named"] = told(cloudwatch.describe_alarms(AlarmNames=["math"], MaxRecords=1))
    arn = found["alarms"]["MetricAlarms"][-1]["AlarmArn"]
    cloudwatch.tag_resource(ResourceARN=arn, Tags=[{"Key": "later", "Value": AWKWARD}])
    cloudwatch.untag_resource(ResourceARN=arn, TagKeys=["team"])
    found["tags"] = cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"]
    found["put dashboard"] = told(cloudwatch.put_dashboard(DashboardName="month", DashboardBody=DASHBOARD))
    found["dashboard"] = told(cloudwatch.get_dashboard(DashboardName="month"))
    found["dashboards"] = told(cloudwatch.list_dashboards(DashboardNamePrefix="mon"))
    found["metrics"] = measured(cloudwatch, protocol)
    found["errors"] = refusals(cloudwatch)
    cloudwatch.delete_dashboards(DashboardNames=["month"])
    cloudwatch.delete_alarms(AlarmNames=["both"])
    cloudwatch.delete_alarms(AlarmNames=["math", "one metric"])
    found["left"] = told(cloudwatch.describe_alarms(**everything))
    found["no dashboards"] = told(cloudwatch.list_dashboards())
    return found


def measured(cloudwatch: Any, protocol: str) -> dict[str, Any]:
    """Points of a namespace of their own, put in each of the ways there are, and asked for again."""
    namespace, at = f"Points/{protocol}", datetime.now(UTC).replace(second=0, microsecond=0)
    point = {"MetricName": "Seconds", "Unit": "Seconds", "Timestamp": at}
    cloudwatch.put_metric_data(
        Namespace=namespace,
        MetricData=[
            {**point, "Value": 0.5},
            {**point, "Values": [1.25, 2.0], "Counts": [1.0, 2.0]},
            {**point, "StatisticValues": {"SampleCount": 2, "Sum": 8, "Minimum": 4, "Maximum": 4}},
        ],
    )
    metric = {"Namespace": namespace, "MetricName": "Seconds"}
    span = {"StartTime": at - timedelta(minutes=2), "EndTime": at + timedelta(minutes=2)}
    queries = [
        {"Id": "sum", "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum"}},
        {
            "Id": "none",
            "MetricStat": {"Metric": {**metric, "MetricName": "Not"}, "Period": 60, "Stat": "Sum"},
        },
    ]
    data = cloudwatch.get_metric_data(MetricDataQueries=queries, **span)["MetricDataResults"]
    statistics = cloudwatch.get_metric_statistics(
        **metric, **span, Period=60, Statistics=["Sum", "SampleCount"], ExtendedStatistics=["p50"]
    )
    assert data[0]["Timestamps"] == [at]
    assert statistics["Datapoints"][0]["Timestamp"] == at
    del data[0]["Timestamps"], statistics["Datapoints"][0]["Timestamp"]
    names = [metric["MetricName"] for metric in cloudwatch.list_metrics(Namespace=namespace)["Metrics"]]
    return {"data": data, "statistics": told(statistics), "names": names}


def refusals(cloudwatch: Any) -> dict[str, Any]:
    """How wrong calls are refused."""
    nobody = f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:nobody"
    unfit = {**MATH_ALARM, "AlarmName": "unfit", "DatapointsToAlarm": 3}
    state = {"AlarmName": "nobody", "StateValue": "OK", "StateReason": "test"}
    point = [{"MetricName": "Failed", "Value": 1}]
    return {
        "dashboard": error(cloudwatch.get_dashboard, DashboardName="none"),
        "no dashboard to delete": error(cloudwatch.delete_dashboards, DashboardNames=["none"]),
        "tags": error(cloudwatch.list_tags_for_resource, ResourceARN=nobody),
        "tag": error(cloudwatch.tag_resource, ResourceARN=nobody, Tags=[{"Key": "a", "Value": "b"}]),
        "state": error(cloudwatch.set_alarm_state, **state),
        "alarm": error(cloudwatch.put_metric_alarm, **unfit),
        "member": error(cloudwatch.delete_alarms, AlarmNames=["math"]),
        "composite": error(cloudwatch.put_composite_alarm, AlarmName="lost", AlarmRule="ALARM(nobody)"),
        "namespace": error(cloudwatch.put_metric_data, Namespace="AWS/SQS", MetricData=point),
    }


def timeless(value: Any) -> Any:
    """A value with the times taken out of it, each of which must have been one of just now."""
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items()}
    if isinstance(value, list):
        return [timeless(item) for item in value]
    if isinstance(value, datetime):
        assert abs(datetime.now(UTC) - value) < timedelta(hours=1)
        return "a time"
    return _MOMENT.sub("a time", value) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def exchanges(aws: Emulator) -> dict[str, dict[str, Any]]:
    return {protocol: timeless(exchange(aws, protocol)) for protocol in PROTOCOLS}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_alarms_come_back_as_they_were_put(exchanges: dict[str, dict[str, Any]], protocol: str) -> None:
    found = exchanges[protocol]
    math, metric = found["alarms"]["MetricAlarms"]
    (composite,) = found["alarms"]["CompositeAlarms"]
    for put, got in ((METRIC_ALARM, metric), (MATH_ALARM, math), (COMPOSITE, composite)):
        expected = {key: value for key, value in put.items() if key != "Tags"}
        assert {key: got.get(key) for key in expected} == expected
        assert got["StateUpdatedTimestamp"] == "a time"
    assert isinstance(metric["Threshold"], float)
    assert metric["InsufficientDataActions"] == []
    assert found["named"]["MetricAlarms"] == [math]
    assert sorted(tag["Key"] for tag in found["tags"]) == ["empty", "later"]
    assert {"Key": "later", "Value": AWKWARD} in found["tags"]
    assert found["left"] == found["none"] == {"MetricAlarms": [], "CompositeAlarms": []}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_dashboards_come_back_as_they_were_put(exchanges: dict[str, dict[str, Any]], protocol: str) -> None:
    found = exchanges[protocol]
    assert found["dashboard"]["DashboardBody"] == DASHBOARD
    assert found["dashboards"]["DashboardEntries"][0]["LastModified"] == "a time"
    assert found["put dashboard"] == {"DashboardValidationMessages": []}
    assert found["no dashboards"] == {"DashboardEntries": []}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_points_are_summed_up(exchanges: dict[str, dict[str, Any]], protocol: str) -> None:
    found = exchanges[protocol]["metrics"]
    assert [result["Values"] for result in found["data"]] == [[13.75], []]
    (point,) = found["statistics"]["Datapoints"]
    assert (point["Sum"], point["SampleCount"]) == (13.75, 6.0)
    assert point["ExtendedStatistics"] == {"p50": 2.0}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_errors_are_those_of_the_service_model(exchanges: dict[str, dict[str, Any]], protocol: str) -> None:
    found = exchanges[protocol]["errors"]
    assert {name: (item["Code"], item["Status"]) for name, item in found.items()} == {
        "dashboard": ("ResourceNotFound", 404),
        "no dashboard to delete": ("ResourceNotFound", 404),
        "tags": ("ResourceNotFoundException", 404),
        "tag": ("ResourceNotFoundException", 404),
        "state": ("ResourceNotFound", 404),
        "alarm": ("ValidationError", 400),
        "member": ("ValidationError", 400),
        "composite": ("ValidationError", 400),
        "namespace": ("InvalidParameterValue", 400),
    }


@pytest.mark.parametrize("protocol", PROTOCOLS[1:])
@pytest.mark.parametrize(
    ("call", "arguments", "shape"),
    [
        ("get_dashboard", {"DashboardName": "none"}, "DashboardNotFoundError"),
        ("set_alarm_state", {"AlarmName": "n", "StateValue": "OK", "StateReason": "r"}, "ResourceNotFound"),
    ],
)
def test_error_names_its_shape(
    aws: Emulator, protocol: str, call: str, arguments: dict[str, str], shape: str
) -> None:
    """Two shapes share a code: typed clients, such as Go's, tell them by the type."""
    cloudwatch = client(aws, protocol)
    answers: list[bytes] = []
    cloudwatch.meta.events.register(
        "after-call", lambda http_response, **_: answers.append(http_response.content)
    )
    error(getattr(cloudwatch, call), **arguments)
    assert f"com.amazonaws.cloudwatch#{shape}".encode() in answers[0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_says_the_same(exchanges: dict[str, dict[str, Any]], protocol: str) -> None:
    mine, other = exchanges[protocol], exchanges["json"]
    for call, answer in other.items():
        assert mine[call] == answer, call


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_permissions_are_asked_for_in_every_protocol(aws: Emulator, protocol: str) -> None:
    name, iam = f"publisher-{protocol}", aws.client("iam")
    iam.create_user(UserName=name)
    own = {"StringEquals": {"cloudwatch:namespace": "Own"}}
    alarms = f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:mine-*"
    allowed = policy(
        {"Action": "cloudwatch:PutMetricData", "Condition": own},
        {"Action": "cloudwatch:PutMetricAlarm", "Resource": alarms},
    )
    iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=allowed)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    cloudwatch = client(
        aws,
        protocol,
        aws_access_key_id=key["AccessKeyId"],
        aws_secret_access_key=key["SecretAccessKey"],
    )
    # Long enough for an SDK to compress it.
    points = [{"MetricName": f"Failed{number}", "Value": 1} for number in range(400)]
    cloudwatch.put_metric_data(Namespace="Own", MetricData=points)
    cloudwatch.put_metric_alarm(**{**MATH_ALARM, "AlarmName": f"mine-{protocol}"})
    denied = [
        error(cloudwatch.put_metric_data, Namespace="Another", MetricData=points),
        error(cloudwatch.put_metric_alarm, **MATH_ALARM),
        error(cloudwatch.list_dashboards),
    ]
    assert [(item["Code"], item["Status"]) for item in denied] == [("AccessDenied", 403)] * 3
    strange = client(aws, protocol, aws_access_key_id="AKIAIOSFODNN7EXAMPLE")
    assert error(strange.list_dashboards)["Status"] == 403
