"""What a message shows: nothing personal, no markup of foreign making, and never more than Slack takes."""

import json
from datetime import timedelta
from typing import Any

import pytest

from alarm_notifier import readings
from alarm_notifier.alarms import members_of
from alarm_notifier.masking import Mask
from alarm_notifier.rendering import _age, _cut
from local.slack_stub import broken_limit
from tests.support.slack import alarm, composite, error_line, log_event
from tests.unit.alarm_notifier.conftest import Bench

MINUTE = timedelta(minutes=1)
MASK = Mask(["tenant_id", "employee_id"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("card 4111 1111 1111 1111 declined", "card [masked] declined"),
        ("card 4111-1111-1111-1111.", "card [masked]."),
        ("pan=378282246310005", "pan=[masked]"),
        ("write to taro.yamada+x@example.co.jp now", "write to [masked] now"),
        ("tenant_id=t1, employee_id: 'e 1'", "tenant_id=[masked], employee_id: [masked]"),
        ('{"tenant_id": "t1", "n": 1}', '{"tenant_id": [masked], "n": 1}'),
        ("https://hooks.slack.com/services/T0/B0/x failed", "[masked] failed"),
        ("token xoxb-12345-abc", "token [masked]"),
        ("account 111122223333 took 1.5 s", "account 111122223333 took 1.5 s"),
        ("run charge-2026-11 of 2026-11-30T18:00:00Z", "run charge-2026-11 of 2026-11-30T18:00:00Z"),
    ],
)
def test_personal_data_and_credentials_are_masked(text: str, shown: str) -> None:
    assert MASK.text(text) == shown


def test_values_of_personal_fields_are_masked_wherever_the_line_repeats_them(bench: Bench) -> None:
    lines = [
        error_line("no card for Yamada of acme", tenant_id="acme", order={"employee_id": "Yamada"}),
        error_line("number 4711 is unknown", employee_id=4711),
        error_line({"tenant_id": "acme", "seen": [{"employee_id": True}]}, tenant_id=None),
    ]
    bench.log(log_event(*lines))
    everything = bench.slack.messages[0].text + json.dumps(bench.row())
    for personal in ("acme", "Yamada", "4711"):
        assert personal not in everything
    assert "no card for [masked] of [masked]" in everything


def test_names_of_personal_fields_are_a_setting(bench: Bench) -> None:
    bench.use(PERSONAL_KEYS="holder, wallet")
    bench.log(log_event(error_line("holder=Taro wallet: w1 tenant_id=t1")))
    assert "holder=[masked] wallet: [masked] tenant_id=t1" in bench.slack.messages[0].text


def test_a_mask_without_fields_still_masks_cards() -> None:
    assert Mask([]).text("tenant_id=t1, 4111111111111111") == "tenant_id=t1, [masked]"


@pytest.mark.parametrize(
    "hostile", ["<!channel>", "<https://evil.example|click>", "a & b", "@here", "*b*", "`c`"]
)
def test_foreign_text_is_never_markup(bench: Bench, hostile: str) -> None:
    at = bench.clock.now()
    text = f"{hostile}\n\nalarm: {hostile}\nservice: {hostile}\nseverity: critical"
    bench.deliver(alarm("a", at, AlarmDescription=text))
    bench.deliver(alarm("b", at, AlarmDescription=text))
    bench.log(log_event(json.dumps({"level": "ERROR", "message": hostile, "service": hostile})))
    for message in bench.slack.messages:
        assert hostile not in message.text
        assert "<!" not in message.text
        assert "|click>" not in message.text


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "https://a|b", "https://a>b", "https://a b", "ftp://a", "no link"]
)
def test_a_link_that_is_none_is_left_out(bench: Bench, link: str) -> None:
    text = f"Text.\n\nalarm: a\nservice: charge\nseverity: critical\nrunbook: {link}"
    bench.deliver(alarm("a", bench.clock.now(), AlarmDescription=text))
    assert "Runbook" not in bench.slack.messages[0].text


def test_a_severity_that_is_none_counts_as_a_warning(bench: Bench) -> None:
    text = "Text.\n\nalarm: a\nservice: charge\nseverity: apocalyptic"
    bench.deliver(alarm("a", bench.clock.now(), AlarmDescription=text))
    assert bench.slack.messages[0].channel == "C0WARNING"


def test_the_largest_incident_stays_inside_slack_s_limits(bench: Bench) -> None:
    at = bench.clock.now()
    long = "&<" * 2000
    rule = " OR ".join(f'ALARM("{"n" * 60}{number}")' for number in range(100))
    for name in members_of(rule):
        bench.cloudwatch.firing[name] = {"StateUpdatedTimestamp": at, "Threshold": 1}
    bodies = [
        composite(f"a{number}", at, rule=rule).replace("A charge failed for good.", long)
        for number in range(60)
    ]
    for start in range(0, 60, 10):
        assert bench.deliver(*bodies[start : start + 10]) == []
    assert bench.log(log_event(*[error_line(chr(97 + number) * 300) for number in range(26)])) == []
    message = bench.slack.incidents()[0]
    assert all(broken_limit(sent.payload) is None for sent in bench.slack.messages)
    for told in ("and 45 more alarms", "and 90 more", "Errors in the log", "more kinds"):
        assert told in message.text
    bench.deliver(*[alarm(f"n{number}", at) for number in range(40)])
    assert "10 earlier changes are not listed" in bench.slack.replies(message)[-1].text


def test_a_cut_leaves_no_half_entity() -> None:
    for limit in range(5, 14):
        cut = _cut("abc&amp;def&lt;ghi", limit)
        assert len(cut) <= limit
        assert cut.endswith("…")
        assert "&" not in cut.replace("&amp;", "").replace("&lt;", "")
    assert _cut("short", 10) == "short"


@pytest.mark.parametrize(
    ("minutes", "told"),
    [
        (-5, "less than a minute"),
        (0.5, "less than a minute"),
        (1, "1 min"),
        (119, "119 min"),
        (120, "2 h"),
        (2880, "2 days"),
    ],
)
def test_ages_are_in_the_unit_that_reads_best(bench: Bench, minutes: float, told: str) -> None:
    now = bench.clock.now()
    assert _age(now, now + minutes * MINUTE) == told


@pytest.mark.parametrize(
    ("trigger", "reason", "more", "told"),
    [
        (
            {"ComparisonOperator": "GreaterThanThreshold", "Threshold": 3600.0},
            "[7,200.0 (x)]",
            {},
            "no value > 3,600",
        ),
        (
            {"ComparisonOperator": "LessThanThreshold", "Threshold": 0.5},
            "datapoints [0.25 (x)]",
            {},
            "0.25 < 0.50",
        ),
        (
            {"ComparisonOperator": "LessThanOrEqualToThreshold", "Threshold": 1},
            "[1.0E7 (x)]",
            {},
            "10,000,000 ≤ 1",
        ),
        ({"ComparisonOperator": "GreaterThanUpperThreshold", "Threshold": 2}, "[3.0 (x)]", {}, "3 against 2"),
        ({"ComparisonOperator": "GreaterThanThreshold"}, "[3.0 (x)]", {}, ""),
        (
            {"ComparisonOperator": "GreaterThanThreshold", "Threshold": 1},
            "no datapoints",
            {"NewStateReasonData": '{"recentDatapoints": [4.0, 6.0]}'},
            "6 > 1",
        ),
    ],
)
def test_value_against_threshold(
    trigger: dict[str, Any], reason: str, more: dict[str, Any], told: str
) -> None:
    assert readings.from_message({"Trigger": trigger, "NewStateReason": reason, **more}) == told


def test_a_described_alarm_without_reason_data_is_read_from_its_reason() -> None:
    described = {
        "StateReason": "datapoints [9.0 (x)]",
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": 1,
    }
    assert readings.from_description(described) == "9 > 1"
    assert readings.from_description({"StateReason": "a composite"}) == ""


def test_members_of_a_rule_are_those_that_have_to_be_in_alarm() -> None:
    rule = (
        '(ALARM("a b") OR ALARM(\'c\') OR ALARM(d)) AND NOT OK("e") AND ALARM'
        '("arn:aws:cloudwatch:ap-northeast-1:111122223333:alarm:f") OR ALARM("a b") OR TRUE'
    )
    assert members_of(rule) == ("a b", "c", "d", "f")
