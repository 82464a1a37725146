"""What a plan takes away: deletion, replacement, deposed objects, and what only seems to go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from policies.__main__ import main
from policies.judge import Verdict, judge, settle
from policies.plan import Leaving
from policies.rules import RULES
from policies.rules.leaving import HOLDERS
from tests.policies.support.judging import plan_of, said

QUEUE = "aws_sqs_queue.this"


def _change(*actions: str, address: str = QUEUE, kind: str = "aws_sqs_queue", **more: Any) -> dict[str, Any]:
    """A resource of which Terraform knows the name `old`, and what the plan does to it."""
    before = None if actions == ("create",) else {"name": "old", "arn": f"arn:of:{address}"}
    after = None if actions in (("delete",), ("forget",)) else {"name": "new"}
    change = {"actions": list(actions), "before": before, "after": after, "after_unknown": {}}
    return {"address": address, "mode": "managed", "type": kind, "name": "this", "change": change, **more}


def _document(*changes: dict[str, Any]) -> dict[str, Any]:
    return {"format_version": "1.2", "resource_changes": list(changes)}


def _leaving(*changes: dict[str, Any]) -> dict[str, Leaving | None]:
    beside = _change("no-op", address="aws_sqs_queue.beside")
    return {gone.address: gone.leaving for gone in plan_of(_document(*changes, beside)).leaving}


@pytest.mark.parametrize(
    ("actions", "leaving"),
    [
        (("delete",), Leaving.DELETED),
        (("delete", "create"), Leaving.REPLACED),
        (("create", "delete"), Leaving.REPLACED),
    ],
)
def test_deletion_and_both_orders_of_replacement_take_it_away(
    actions: tuple[str, ...], leaving: Leaving
) -> None:
    assert _leaving(_change(*actions)) == {QUEUE: leaving}


@pytest.mark.parametrize(
    "actions", [("no-op",), ("update",), ("create",), ("forget",), ("create", "forget")], ids=" ".join
)
def test_what_stays_at_aws_is_not_taken_away(actions: tuple[str, ...]) -> None:
    """`forget` is a `removed` block with destroy = false."""
    assert _leaving(_change(*actions)) == {}


def test_moved_resource_stays_unless_it_is_replaced_as_well() -> None:
    assert _leaving(_change("no-op", previous_address="aws_sqs_queue.former")) == {}
    assert _leaving(_change("delete", "create", previous_address="aws_sqs_queue.former")) != {}


def test_module_that_is_renamed_without_moved_loses_what_is_in_it() -> None:
    found = said(
        _document(
            _change("delete", address="module.charge.aws_sqs_queue.this", module_address="module.charge"),
            _change("create", address="module.billing.aws_sqs_queue.this", module_address="module.billing"),
        ),
        "FO701",
        Verdict.FINDING,
    )
    assert set(found) == {"module.charge.aws_sqs_queue.this"}


@pytest.mark.parametrize(("index", "other"), [(0, '["a"]'), ("a", "[0]")])
def test_change_between_count_and_for_each_is_a_deletion(index: int | str, other: str) -> None:
    address = f"{QUEUE}[{json.dumps(index)}]"
    assert _leaving(
        _change("delete", address=address, index=index), _change("create", address=QUEUE + other)
    ) == {address: Leaving.DELETED}


@pytest.mark.parametrize("current", ["no-op", "update"])
def test_deposed_object_is_no_loss_while_its_successor_stays(current: str) -> None:
    assert _leaving(_change("delete", deposed="00000001"), _change(current)) == {}


@pytest.mark.parametrize("current", [("create",), ("delete",), ("delete", "create")], ids=" ".join)
def test_deposed_object_is_a_loss_where_it_is_the_last_one(current: tuple[str, ...]) -> None:
    """A replacement that broke off before the new one was made leaves the one in use deposed."""
    assert QUEUE in _leaving(_change("delete", deposed="00000001"), _change(*current))


@pytest.mark.parametrize("kind", HOLDERS)
def test_finding_says_what_is_lost(kind: str) -> None:
    (message,) = said(_document(_change("delete", kind=kind)), "FO701", Verdict.FINDING)[QUEUE]
    assert message.startswith(f"it is deleted: {HOLDERS[kind]}.")


def test_alias_or_policy_holds_nothing() -> None:
    document = _document(
        _change("delete", kind="aws_kms_alias"), _change("delete", kind="aws_sqs_queue_policy")
    )
    assert judge(plan_of(document), [RULES["FO701"]]).outcomes == []


def test_plan_that_destroys_all_of_it_is_judged() -> None:
    judgement = judge(plan_of(_document(_change("delete"))))
    assert {outcome.rule.id for outcome in judgement.outcomes} == {"FO701"}
    assert judgement.resources == 1


def test_source_settles_nothing_that_the_state_alone_knows() -> None:
    """The alarm is in the source still: that says nothing of the one that goes."""
    alarm = _change("delete", "create", kind="aws_cloudwatch_metric_alarm")
    alarm["change"]["before"] = {"alarm_name": "old", "alarm_actions": ["arn:aws:sns:r:111122223333:alerts"]}
    judgement = judge(plan_of(_document(alarm)), [RULES["FO702"]])
    assert [outcome.verdict for outcome in judgement.outcomes] == [Verdict.UNDECIDED]

    by_source = judge(plan_of(_document({**alarm, "change": {**alarm["change"], "actions": ["create"]}})))
    by_source.asked.add(("FO702", QUEUE))
    assert settle(judgement, by_source).outcomes == judgement.outcomes


@pytest.mark.parametrize("actions", [None, "delete", [1], {}])
def test_plan_that_does_not_say_what_it_does_cannot_be_judged(
    actions: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = _document(_change("create"))
    document["resource_changes"][0]["change"]["actions"] = actions
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(document), encoding="utf-8")

    assert main([str(file)]) == 2
    assert "no list of actions" in capsys.readouterr().err


def test_waiver_with_a_reason_lets_it_go(tmp_path: Path) -> None:
    file, waivers = tmp_path / "plan.json", tmp_path / "waivers.toml"
    file.write_text(json.dumps(_document(_change("delete"))), encoding="utf-8")
    waivers.write_text(
        f'[[waiver]]\nrule = "FO701"\naddress = "{QUEUE}"\nreason = "Drained and audited."\n'
        'owner = "billing"\nexpires = 2030-01-01\n',
        encoding="utf-8",
    )
    assert main([str(file), "--strict", "--today", "2029-12-31"]) == 1
    assert main([str(file), "--strict", "--today", "2029-12-31", "--waivers", str(waivers)]) == 0
    assert main([str(file), "--strict", "--today", "2030-01-02", "--waivers", str(waivers)]) == 1


@pytest.mark.parametrize("after", ['ALARM("beside")', None], ids=["named no more", "known after the apply"])
def test_alarm_that_is_critical_by_its_composite_is_so_while_the_composite_lets_go_of_it(
    after: str | None,
) -> None:
    now = {
        "alarm_name": "whole",
        "alarm_rule": 'ALARM("beside") OR ALARM("old")',
        "tags": {"severity": "critical"},
    }
    composite = _change(
        "update", address="aws_cloudwatch_composite_alarm.this", kind="aws_cloudwatch_composite_alarm"
    )
    composite["change"] |= {"before": now, "after": {**now, "alarm_rule": after}}
    composite["change"]["after_unknown"] = {} if after else {"alarm_rule": True}
    alarm = _change("delete", address="aws_cloudwatch_metric_alarm.this", kind="aws_cloudwatch_metric_alarm")
    alarm["change"]["before"] = {"alarm_name": "old"}

    assert set(said(_document(composite, alarm), "FO702", Verdict.FINDING)) == {
        "aws_cloudwatch_metric_alarm.this"
    }
