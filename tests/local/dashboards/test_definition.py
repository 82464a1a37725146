"""A dashboard's body as CloudWatch documents it: what each widget asks for."""

from typing import Any

import pytest

from local.dashboards.definition import Dashboard, DefinitionError, Widget


def widget(*metrics: Any, **properties: Any) -> Widget:
    return Widget("metric", 0, 0, 6, 6, {"title": "t", "metrics": list(metrics), **properties})


def stat(widget: Widget, number: int) -> Any:
    return widget.series()[number].query["MetricStat"]


def test_a_metric_is_asked_for_by_its_namespace_name_and_dimensions() -> None:
    made = widget(["AWS/SQS", "NumberOfMessagesSent", "QueueName", "q.fifo", "A", "b"], stat="Sum", period=60)
    assert stat(made, 0) == {
        "Metric": {
            "Namespace": "AWS/SQS",
            "MetricName": "NumberOfMessagesSent",
            "Dimensions": [{"Name": "QueueName", "Value": "q.fifo"}, {"Name": "A", "Value": "b"}],
        },
        "Period": 60,
        "Stat": "Sum",
    }


def test_a_dot_repeats_the_word_above_and_three_dots_all_of_them() -> None:
    made = widget(
        ["AWS/SQS", "Sent", "QueueName", "a"],
        [".", "Deleted", ".", "."],
        ["...", "b"],
        [{"expression": "m1 + 1", "id": "e1"}],
        ["...", "c", {"stat": "Maximum"}],
    )
    metrics = [stat(made, number)["Metric"] for number in (0, 1, 2, 4)]
    assert [metric["MetricName"] for metric in metrics] == ["Sent", "Deleted", "Deleted", "Deleted"]
    assert [metric["Dimensions"][0]["Value"] for metric in metrics] == ["a", "a", "b", "c"]
    assert stat(made, 4)["Stat"] == "Maximum"


def test_an_expression_is_asked_for_with_what_it_is_made_of() -> None:
    made = widget(
        [{"expression": "FILL(m1, 0)", "id": "e1", "label": "filled", "color": "#123456"}],
        ["AWS/SQS", "Sent", {"id": "m1", "visible": False}],
        period=60,
    )
    filled, hidden = made.series()
    assert filled.query == {"Id": "e1", "Label": "filled", "Expression": "FILL(m1, 0)", "Period": 60}
    assert (filled.label, filled.colour, filled.visible, hidden.visible) == ("filled", "#123456", True, False)


@pytest.mark.parametrize(
    ("metric", "wrong"),
    [
        ([{"id": "m1"}], "is neither a metric nor an expression"),
        (["AWS/SQS", "Sent", "QueueName"], "has a dimension without a value"),
    ],
)
def test_a_form_that_is_not_known_is_refused_by_its_place(metric: Any, wrong: str) -> None:
    with pytest.raises(DefinitionError, match=rf"^t: metrics\[0\] {wrong}"):
        widget(metric).series()


def test_a_dashboard_is_as_high_as_its_lowest_widget() -> None:
    body = {
        "widgets": [
            {"type": "text", "x": 0, "y": 0, "width": 24, "height": 2, "properties": {"markdown": "a"}},
            {"type": "text", "x": 0, "y": 2, "width": 24, "height": 7, "properties": {"markdown": "b"}},
        ]
    }
    assert Dashboard.read("d", body).height == 9
