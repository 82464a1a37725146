"""Logs, metrics and traces."""

import json
import time
from collections.abc import Callable

import pytest

from job_runtime.config import ConfigurationError, Settings
from job_runtime.observe import observer, trace_attributes, trace_header
from tests.support.output import Output

HEADER = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"


def test_counts_are_published_under_one_namespace_and_one_dimension(output: Callable[[], Output]) -> None:
    observing = observer(Settings({"JOB_NAME": "charge"}))
    with observing.flushing():
        observing.count({"Charged": 3, "Duplicate": 0})
    printed = output()
    assert printed.metrics == {"Charged": 3}
    assert printed.namespaces == {"FanoutOnce"}
    assert printed.dimensions == {(("service", "charge"),)}


def test_service_and_namespace_can_be_set(output: Callable[[], Output]) -> None:
    observing = observer(
        Settings(
            {"JOB_NAME": "charge", "POWERTOOLS_SERVICE_NAME": "co2", "POWERTOOLS_METRICS_NAMESPACE": "Other"}
        )
    )
    with observing.flushing():
        observing.count({"Aggregated": 1})
    observing.logger.info("hello")
    printed = output()
    assert printed.namespaces == {"Other"}
    assert printed.dimensions == {(("service", "co2"),)}
    assert printed.lines[0]["service"] == "co2"


def test_metrics_are_published_when_the_block_fails(output: Callable[[], Output]) -> None:
    observing = observer(Settings({"JOB_NAME": "charge"}))
    observing.count({"Charged": 1})
    with pytest.raises(ZeroDivisionError), observing.flushing():
        _ = 1 / 0
    assert output().metrics == {"Charged": 1}


def test_a_block_that_counted_nothing_publishes_and_warns_nothing(
    output: Callable[[], Output], recwarn: pytest.WarningsRecorder
) -> None:
    with observer(Settings({"JOB_NAME": "charge"})).flushing():
        pass
    assert (output().text, recwarn.list) == ("", [])


def test_what_was_published_is_not_published_again(output: Callable[[], Output]) -> None:
    observing = observer(Settings({"JOB_NAME": "charge"}))
    for _ in range(2):
        with observing.flushing():
            observing.count({"Charged": 1})
        assert output().metrics == {"Charged": 1}


def test_times_are_in_utc_whatever_the_zone_of_the_machine(
    output: Callable[[], Output], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        observer(Settings({"JOB_NAME": "charge"})).logger.info("hello")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert output().lines[0]["timestamp"].endswith("+00:00")


def test_what_is_counted_is_a_count(output: Callable[[], Output]) -> None:
    observing = observer(Settings({"JOB_NAME": "charge"}))
    with observing.flushing():
        observing.count({"Charged": 1})
    (directive,) = json.loads(output().text)["_aws"]["CloudWatchMetrics"]
    assert directive["Metrics"] == [{"Name": "Charged", "Unit": "Count"}]


def test_a_switch_that_logs_bodies_stops_the_start() -> None:
    with pytest.raises(
        ConfigurationError, match=r"^POWERTOOLS_LOGGER_LOG_EVENT .*: it would write message bodies"
    ):
        observer(Settings({"JOB_NAME": "charge", "POWERTOOLS_LOGGER_LOG_EVENT": "true"}))


def test_a_service_needs_a_name() -> None:
    with pytest.raises(ConfigurationError, match=r"^JOB_NAME is not set"):
        observer(Settings({}))


def test_the_trace_header_of_the_invocation_goes_along() -> None:
    assert trace_header({"_X_AMZN_TRACE_ID": HEADER}) == HEADER
    assert trace_attributes(HEADER) == {"AWSTraceHeader": {"DataType": "String", "StringValue": HEADER}}


@pytest.mark.parametrize("text", ["", "Root=1-a-b", HEADER + "\n", "x" + HEADER, HEADER + ";"])
def test_what_is_no_trace_header_is_left_out(text: str) -> None:
    assert trace_header({"_X_AMZN_TRACE_ID": text}) is None


def test_without_a_trace_there_is_no_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trace_header({}) is None
    assert json.dumps(trace_attributes(None)) == "{}"
    monkeypatch.setenv("_X_AMZN_TRACE_ID", HEADER)
    assert trace_header() == HEADER
