"""Plans that Terraform made: what the builders of the other tests assume is so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from policies.judge import Judgement, Verdict, judge
from policies.plan import read_plan
from policies.source import read_source
from tests.policies.support.planned import planned

pytestmark = pytest.mark.terraform

ROOT = Path(__file__).with_name("real")
MAPPING = 'module.consumer["{}"].aws_lambda_event_source_mapping.this'


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first plan of the root in `real`, as JSON."""
    return planned(ROOT, tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="module")
def judgement(plan: Path) -> Judgement:
    return judge(read_plan(plan))


def addresses(judgement: Judgement, rule: str, verdict: Verdict = Verdict.FINDING) -> set[str]:
    return {o.address for o in judgement.outcomes if o.rule.id == rule and o.verdict is verdict}


def expressions(plan: Path, module: str, label: str) -> Any:
    """The expressions of a resource in a root module call."""
    root = json.loads(plan.read_text(encoding="utf-8"))["configuration"]["root_module"]
    (block,) = [b for b in root["module_calls"][module]["module"]["resources"] if b["address"] == label]
    return block["expressions"]


def test_terraform_writes_references_as_the_builders_do(plan: Path) -> None:
    root = json.loads(plan.read_text(encoding="utf-8"))["configuration"]["root_module"]
    call = root["module_calls"]["consumer"]["expressions"]["queue"]["references"]
    (redrive,) = [b for b in root["resources"] if b["type"] == "aws_sqs_queue_redrive_policy"]

    assert call == ["module.queue", "each.key"]
    assert redrive["expressions"]["redrive_policy"]["references"] == [
        "aws_sqs_queue.shared[1].arn",
        "aws_sqs_queue.shared[1]",
        "aws_sqs_queue.shared",
    ]
    document = "data.aws_iam_policy_document.this"
    assert expressions(plan, "queue", "aws_sqs_queue_policy.this")["policy"]["references"] == [
        f"{document}.json",
        document,
    ]
    # A dynamic block is not written down at all.
    assert len(expressions(plan, "queue", document)["statement"]) == 1


def test_mapping_is_judged_against_the_queue_of_its_own_module_instance(judgement: Judgement) -> None:
    assert addresses(judgement, "FO301") == {MAPPING.format("bad")}
    assert addresses(judgement, "FO301", Verdict.UNDECIDED) == set()


def test_policy_that_is_unknown_is_read_from_its_document(judgement: Judgement) -> None:
    assert addresses(judgement, "FO202") == {'module.queue["bad"].aws_sqs_queue_policy.this'}
    assert 'module.queue["good"].aws_sqs_queue.this' not in addresses(judgement, "FO201")
    assert addresses(judgement, "FO201", Verdict.UNDECIDED) == set()


def test_rights_are_waited_for(judgement: Judgement) -> None:
    assert addresses(judgement, "FO306") == set()
    assert addresses(judgement, "FO306", Verdict.UNDECIDED) == set()


def test_index_of_count_is_followed(judgement: Judgement) -> None:
    assert addresses(judgement, "FO102") == set()
    assert "aws_sqs_queue.shared[0]" not in addresses(judgement, "FO101")
    assert "aws_sqs_queue.shared[1]" not in addresses(judgement, "FO101")


def test_what_is_not_written_is_absent_and_not_undecided(judgement: Judgement) -> None:
    assert addresses(judgement, "FO108") == {"aws_sqs_queue.shared[0]", "aws_sqs_queue.shared[1]"}


def test_only_what_jsonencode_hides_stays_open(judgement: Judgement) -> None:
    undecided = {(o.rule.id, o.address) for o in judgement.outcomes if o.verdict is Verdict.UNDECIDED}
    holder = "aws_sqs_queue_redrive_policy.shared"
    assert undecided == {("FO104", holder), ("FO105", holder)}


def test_source_of_the_same_root_says_the_same(judgement: Judgement) -> None:
    pytest.importorskip(
        "tfparse", reason="source mode runs on tfparse, which the gate's own requirements hold"
    )
    by_source = judge(read_source(ROOT))
    open_in_source = {(o.rule.id, o.address) for o in by_source.outcomes if o.verdict is Verdict.UNDECIDED}

    def findings(of: Judgement) -> set[tuple[str, str]]:
        return {(o.rule.id, o.address) for o in of.outcomes if o.verdict is Verdict.FINDING}

    assert findings(judgement) - open_in_source == findings(by_source)
