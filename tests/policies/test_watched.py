"""Alarms as `alarm-pack` makes them, in a plan that Terraform made."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from local.emulator import Emulator
from policies.judge import Judgement, Verdict, judge
from policies.plan import Plan, read_plan
from policies.topology.watching import ALARM, COMPOSITE
from tests.policies.support.planned import planned

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]

ABOUT_ALARMS = re.compile("FO5[01][0-9]")


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    with Emulator.start(log=tmp_path_factory.mktemp("emulator") / "log") as aws:
        root = Path(__file__).with_name("watched")
        return read_plan(planned(root, tmp_path_factory.mktemp("watched"), endpoint=aws.endpoint))


@pytest.fixture(scope="module")
def judgement(plan: Plan) -> Judgement:
    return judge(plan)


def test_the_plan_has_alarms_of_every_make(plan: Plan) -> None:
    alarms = plan.of(ALARM)
    assert len(alarms) > 80
    assert [alarm for alarm in alarms if alarm.values.raw("metric_query")]
    assert [alarm for alarm in alarms if not alarm.values.raw("alarm_actions")]
    assert len(plan.of(COMPOSITE)) == 6


def test_each_alarm_that_tells_a_topic_whose_key_refuses_cloudwatch_is_found_and_no_other(
    plan: Plan, judgement: Judgement
) -> None:
    refused = {
        alarm.address
        for alarm in plan.of(ALARM, COMPOSITE)
        if alarm.address.startswith('module.alarms["refused"].') and alarm.values.raw("alarm_actions")
    }
    found = [o for o in judgement.outcomes if o.rule.id == "FO506" and ".either" not in o.address]
    assert {o.address for o in found} == refused
    assert {o.verdict for o in found} == {Verdict.FINDING}
    assert all(
        "cloudwatch.amazonaws.com no kms:Decrypt and no kms:GenerateDataKey" in o.message for o in found
    )


def test_a_topic_that_may_be_another_is_undecided_and_never_a_finding(judgement: Judgement) -> None:
    (either,) = [o for o in judgement.outcomes if o.rule.id == "FO506" and ".either" in o.address]
    assert either.verdict is Verdict.UNDECIDED
    assert 'alarm_actions may name aws_sns_topic.critical["refused"]' in either.message


def test_topics_of_the_alert_channel_let_cloudwatch_in_by_policy_and_key(
    plan: Plan, judgement: Judgement
) -> None:
    told = {alarm.address for alarm in plan.of(ALARM, COMPOSITE) if "channel_alarms" in alarm.address}
    for rule in ("FO506", "FO510"):
        assert told <= {address for asked, address in judgement.asked if asked == rule}
        assert not told & {o.address for o in judgement.outcomes if o.rule.id == rule}
    refusing = [r for r in plan.resources if not r.address.startswith("module.channel.aws_sns_topic_policy")]
    without = judge(Plan("without", refusing, plan.references))
    assert not [o for o in without.outcomes if o.rule.id == "FO510"], (
        "a topic's own policy is the default one"
    )


def test_nothing_else_is_said_of_alarms_or_of_what_they_watch(judgement: Judgement) -> None:
    said = [o for o in judgement.outcomes if ABOUT_ALARMS.fullmatch(o.rule.id) and o.rule.id != "FO506"]
    assert [f"{o.rule.id} {o.verdict} {o.address}: {o.message}" for o in said] == []
    asked = {rule for rule, _ in judgement.asked}
    assert {f"FO50{number}" for number in range(1, 10)} <= asked


def test_members_and_suppressors_need_their_composites(plan: Plan) -> None:
    silent = {alarm.address for alarm in plan.of(ALARM) if not alarm.values.raw("alarm_actions")}
    alone = Plan("alone", [r for r in plan.resources if r.type != COMPOSITE], plan.references)
    found = {o.address for o in judge(alone).outcomes if o.rule.id == "FO505"}
    assert found == silent
    assert 'module.alarms["admitted"].aws_cloudwatch_metric_alarm.maintenance[0]' in found
