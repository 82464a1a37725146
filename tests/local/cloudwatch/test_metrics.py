"""Metrics: what tells them apart, and the statistics of their points."""

from __future__ import annotations

import pytest

from local.cloudwatch.metrics import Metric, Point, Store, too_few_samples

M = Metric.of("AWS/SQS", "Age", {"QueueName": "q"})


def store(*values: float, time: float = 600.0) -> Store:
    full = Store()
    for value in values:
        full.put(M, Point(time, value))
    return full


@pytest.mark.parametrize(
    "other",
    [
        Metric.of("AWS/SQS", "Age"),
        Metric.of("AWS/SQS", "Age", {"QueueName": "q2"}),
        Metric.of("AWS/SQS", "Age", {"QueueName": "q", "More": "x"}),
        Metric.of("AWS/SNS", "Age", {"QueueName": "q"}),
    ],
    ids=["no dimension", "other value", "one more", "other namespace"],
)
def test_a_metric_is_its_exact_dimensions(other: Metric) -> None:
    assert store(1.0).summary(other, 600, 660) is None


def test_the_order_of_dimensions_does_not_matter() -> None:
    assert Metric.of("n", "m", {"a": "1", "b": "2"}) == Metric.of("n", "m", {"b": "2", "a": "1"})


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("Sum", 10.0), ("Average", 2.5), ("Minimum", 1.0), ("Maximum", 4.0), ("SampleCount", 4.0)],
)
def test_statistics(statistic: str, value: float) -> None:
    summary = store(1, 2, 3, 4).summary(M, 600, 660)
    assert summary is not None
    assert summary.statistic(statistic) == value


@pytest.mark.parametrize(
    ("statistic", "value"), [("p50", 50.5), ("p99", 99.01), ("p100", 100.0), ("p0", 1.0)]
)
def test_percentiles_interpolate_between_ranks(statistic: str, value: float) -> None:
    summary = store(*range(1, 101)).summary(M, 600, 660)
    assert summary is not None
    assert summary.statistic(statistic) == pytest.approx(value)


def test_no_percentile_of_negative_values_nor_of_a_statistic_set() -> None:
    negative = store(-1.0, 2.0).summary(M, 600, 660)
    assert negative is not None
    assert negative.statistic("p50") is None
    sets = Store()
    sets.put_statistics(M, 600, {"SampleCount": 2, "Sum": 5, "Minimum": 1, "Maximum": 4})
    summary = sets.summary(M, 600, 660)
    assert summary is not None
    assert summary.statistic("p50") is None
    assert summary.statistic("Average") == 2.5


def test_a_statistic_set_of_one_repeated_value_has_percentiles() -> None:
    sets = Store()
    sets.put_statistics(M, 600, {"SampleCount": 3, "Sum": 6, "Minimum": 2, "Maximum": 2})
    summary = sets.summary(M, 600, 660)
    assert summary is not None
    assert summary.statistic("p90") == 2


def test_a_period_holds_its_beginning_and_not_its_end() -> None:
    full = Store()
    full.put(M, Point(659.9, 1.0))
    full.put(M, Point(660.0, 2.0))
    first, second = full.summary(M, 600, 660), full.summary(M, 660, 720)
    assert first is not None
    assert second is not None
    assert (first.total, second.total) == (1.0, 2.0)


def test_points_of_standard_resolution_belong_to_their_minute() -> None:
    fine, coarse = Store(), Store()
    fine.put(M, Point(635.0, 1.0, high_resolution=True))
    coarse.put(M, Point(635.0, 1.0))
    assert fine.summary(M, 630, 640) is not None
    assert coarse.summary(M, 630, 640) is None


def test_another_unit_is_another_set_of_points() -> None:
    full = Store()
    full.put(M, Point(600, 1.0, unit="Seconds"))
    assert full.summary(M, 600, 660, "Count") is None
    assert full.summary(M, 600, 660, "Seconds") is not None
    assert full.summary(M, 600, 660) is not None


def test_old_points_are_forgotten() -> None:
    full = store(1.0)
    full.forget(before=661.0)
    assert full.metrics() == []


@pytest.mark.parametrize(("statistic", "enough"), [("p99", 1000), ("p90", 100), ("p50", 20), ("p10", 100)])
def test_percentiles_that_rest_on_too_few_samples(statistic: str, enough: int) -> None:
    assert too_few_samples(statistic, enough - 1)
    assert not too_few_samples(statistic, enough + 1)
    assert not too_few_samples("Maximum", 1)
