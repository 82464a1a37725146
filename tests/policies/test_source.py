"""Source mode: the same rules on HCL, with lines, and without a plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policies.judge import Judgement, Verdict, judge, settle
from policies.source import SourceError, read_source
from tests.policies.support.command import run

pytest.importorskip("tfparse", reason="source mode runs on tfparse, which the gate's own requirements hold")

FUNCTION = """
resource "aws_lambda_function" "consumer" {
  function_name = "consumer"
  role          = "arn:aws:iam::111122223333:role/consumer"
  timeout       = var.timeout
}
variable "timeout" {
  type    = number
  default = 60
}
"""
QUEUES = """
data "aws_caller_identity" "current" {}
data "aws_partition" "current" {
}
data "aws_region" "current" {}

locals {
  account = data.aws_caller_identity.current.account_id
  start   = "arn:${data.aws_partition.current.partition}:sqs"
  prefix  = "${local.start}:${data.aws_region.current.region}:${local.account}"
}

resource "aws_sqs_queue" "this" {
  name                       = "charge.fifo"
  fifo_queue                 = true
  visibility_timeout_seconds = 60
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letter.arn
    maxReceiveCount     = 1
  })
}

resource "aws_sqs_queue" "dead_letter" {
  name       = "charge-dlq.fifo"
  fifo_queue = true
}

resource "aws_sqs_queue_policy" "this" {
  queue_url = aws_sqs_queue.this.url
  policy    = data.aws_iam_policy_document.this.json
}

data "aws_iam_policy_document" "this" {
  statement {
    actions   = ["sqs:*"]
    resources = ["*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
  }
}

resource "aws_lambda_event_source_mapping" "this" {
  event_source_arn        = "${local.prefix}:charge.fifo"
  function_name           = aws_lambda_function.consumer.arn
  function_response_types = ["ReportBatchItemFailures"]

  dynamic "scaling_config" {
    for_each = var.limit == null ? [] : [var.limit]
    content {
      maximum_concurrency = scaling_config.value
    }
  }

  dynamic "metrics_config" {
    for_each = data.aws_unknown.elsewhere.metrics
    content {
      metrics = ["EventCount"]
    }
  }
}
variable "limit" {
  type    = number
  default = null
}
"""


def source(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.tf").write_text(text, encoding="utf-8")
    return folder


def said(judgement: Judgement, verdict: Verdict = Verdict.FINDING) -> dict[tuple[str, str], str]:
    return {(o.rule.id, o.address): o.message for o in judgement.outcomes if o.verdict is verdict}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return source(tmp_path, main=QUEUES, function=FUNCTION)


MAPPING = "aws_lambda_event_source_mapping.this"


def test_rules_see_several_resources_of_source(root: Path) -> None:
    found = said(judge(read_source(root)))

    assert "360 s" in found["FO301", MAPPING]
    assert "maxReceiveCount is 1;" in found["FO104", "aws_sqs_queue.this"]
    assert ("FO203", "aws_sqs_queue_policy.this") in found
    assert ("FO204", "aws_sqs_queue_policy.this") in found
    assert ("FO302", MAPPING) not in found


def test_dynamic_block_is_absent_when_its_for_each_is_empty_and_unknown_when_that_is(root: Path) -> None:
    judgement = judge(read_source(root))

    assert ("FO303", MAPPING) in said(judgement)
    assert ("FO309", MAPPING) in said(judgement, Verdict.UNDECIDED)
    assert ("FO303", MAPPING) not in said(judge(read_source(root, {"limit": 5})))


def test_variables_change_the_answer(root: Path) -> None:
    assert ("FO301", MAPPING) not in said(judge(read_source(root, {"timeout": 10})))


def test_lines_are_those_of_the_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    plan = read_source(Path())
    lines = (root / "main.tf").read_text(encoding="utf-8").splitlines()

    for resource in plan.resources:
        if resource.judged and resource.place is not None and resource.place.file == "main.tf":
            assert f'"{resource.type}" "{resource.name}"' in lines[resource.place.line - 1]
    assert len([r for r in plan.resources if r.judged]) == 5


def test_variable_that_is_null_is_no_key(tmp_path: Path) -> None:
    module = tmp_path / "queue"
    module.mkdir()
    source(
        module,
        main='resource "aws_sqs_queue" "this" {\n  name = "a"\n  kms_master_key_id = var.key\n}\n'
        'variable "key" {\n  type = string\n  default = null\n}\n',
    )
    source(tmp_path, main='module "queue" {\n  source = "./queue"\n}\n')
    assert ("FO108", "module.queue.aws_sqs_queue.this") in said(judge(read_source(tmp_path)))


def test_local_modules_with_for_each_are_read(tmp_path: Path) -> None:
    module = tmp_path / "modules" / "queue"
    module.mkdir(parents=True)
    source(
        module, main='resource "aws_sqs_queue" "this" {\n  name = "a"\n  receive_wait_time_seconds = 0\n}\n'
    )
    root = tmp_path / "envs"
    root.mkdir()
    source(
        root, main='module "queue" {\n  source   = "../modules/queue"\n  for_each = toset(["x", "y"])\n}\n'
    )

    found = {address for rule, address in said(judge(read_source(root))) if rule == "FO107"}
    assert found == {f'module.queue["{key}"].aws_sqs_queue.this' for key in "xy"}


def test_policy_that_tfparse_has_made_up_an_id_for_is_undecided_and_not_malformed(tmp_path: Path) -> None:
    made_up = "11b8a4cd-48eb-4cf9-83d1-00cc7ef2a785"
    role = 'resource "aws_iam_role_policy" "this" {\n  name = "send"\n  role = "sender"\n'
    source(tmp_path, main=f'{role}  policy = "{made_up}"\n}}\n')
    judgement = judge(read_source(tmp_path))
    subject = ("FO207", "aws_iam_role_policy.this")
    assert subject not in said(judgement)
    assert said(judgement, Verdict.UNDECIDED)[subject] == "policy is known after the apply only"


def test_file_that_cannot_be_parsed_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source(root, broken='resource "aws_sqs_queue" "x" {\n  name = \n')
    ended = run(capsys, "--source", root)

    assert ended.code == 2
    assert "broken.tf" in ended.err
    assert ended.err.count("\n") == 1


def test_source_without_resources_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="describes no resources"):
        read_source(source(tmp_path, main='variable "a" {}\n'))


def plan_of_source(folder: Path) -> Path:
    """The plan of the queue and its dead-letter queue on an empty state: jsonencode hides the count."""
    changes = [
        {
            "address": f"aws_sqs_queue.{name}",
            "mode": "managed",
            "type": "aws_sqs_queue",
            "name": name,
            "change": {
                "actions": ["create"],
                "after": {"name": queue, "fifo_queue": True},
                "after_unknown": unknown,
            },
        }
        for name, queue, unknown in (
            ("this", "charge.fifo", {"redrive_policy": True}),
            ("dead_letter", "charge-dlq.fifo", {}),
        )
    ]
    written = {"references": ["aws_sqs_queue.dead_letter.arn", "aws_sqs_queue.dead_letter"]}
    resources = [
        {"address": "aws_sqs_queue.this", "expressions": {"redrive_policy": written}},
        {"address": "aws_sqs_queue.dead_letter", "expressions": {}},
    ]
    document = {
        "format_version": "1.2",
        "resource_changes": changes,
        "configuration": {"root_module": {"resources": resources}},
    }
    file = folder / "plan.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def test_source_settles_what_the_plan_leaves_open_and_gives_lines(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    plan = plan_of_source(root)
    alone = json.loads(run(capsys, plan, "--format", "json").out)["outcomes"]
    both = json.loads(run(capsys, plan, "--source", root, "--format", "json").out)["outcomes"]

    def verdicts(outcomes: list[dict[str, str]]) -> list[tuple[str, str]]:
        return [(o["verdict"], o["message"]) for o in outcomes if o["rule"] == "FO104"]

    assert [verdict for verdict, _ in verdicts(alone)] == ["undecided"]
    assert verdicts(both) == [("finding", "maxReceiveCount is 1; 3 to 1000 are allowed. Write 5")]
    places = {(o["address"], o["file"], o["line"]) for o in both}
    lines = (root / "main.tf").read_text(encoding="utf-8").splitlines()
    for address, file, line in places:
        assert file == "main.tf"
        assert address.split(".")[1] in lines[int(line) - 1]


def test_source_does_not_settle_what_it_leaves_open_itself(root: Path) -> None:
    by_source = judge(read_source(root))
    undecided = [o for o in by_source.outcomes if o.verdict is Verdict.UNDECIDED]
    assert undecided
    judgement = Judgement("plan", 1, undecided, by_source.asked)
    assert settle(judgement, by_source).outcomes == undecided


REPEATED = """
variable "on" {
  type    = bool
  default = false
}
data "aws_ssm_parameter" "names" {
  name = "/queues"
}
resource "aws_sqs_queue" "listed" {
  for_each = toset(split(",", data.aws_ssm_parameter.names.value)) # known to AWS only

  name = each.key
}
resource "aws_sqs_queue" "counted" {
  count = length(
    data.aws_ssm_parameter.names.value
  )

  name = "counted"
}
resource "aws_sqs_queue" "none" {
  count = var.on ? 1 : 0
  name  = "none"
}
resource "aws_sqs_queue" "empty" {
  for_each = {}
  name     = "empty"
}
resource "aws_sqs_queue" "two" {
  for_each = toset(["a", "b"])
  name     = each.key
}
module "inner" {
  source   = "./inner"
  for_each = data.aws_ssm_parameter.names.value
}
module "absent" {
  source = "./inner"
  count  = var.on ? 1 : 0
}
"""


def test_blocks_of_which_it_is_unknown_how_many_there_are_are_undecided_and_not_left_out(
    tmp_path: Path,
) -> None:
    (tmp_path / "main.tf").write_text(REPEATED, encoding="utf-8")
    (tmp_path / "inner").mkdir()
    inner = 'resource "aws_sqs_queue" "deep" {\n  name = "deep"\n}\n'
    (tmp_path / "inner" / "queues.tf").write_text(inner, encoding="utf-8")

    plan = read_source(tmp_path)

    queues = {resource.address: resource for resource in plan.of("aws_sqs_queue")}
    unknown = {"aws_sqs_queue.listed[*]", "module.inner.aws_sqs_queue.deep[*]"}
    # A count that it cannot evaluate is one to tfparse.
    known = {"aws_sqs_queue.counted[0]", 'aws_sqs_queue.two["a"]', 'aws_sqs_queue.two["b"]'}
    assert set(queues) == unknown | known
    judgement = judge(plan)
    for address in unknown:
        place = queues[address].place
        assert place is not None
        assert (
            Path(place.file).read_text(encoding="utf-8").splitlines()[place.line - 1].startswith("resource")
        )
        verdicts = {o.rule.id: o.verdict for o in judgement.outcomes if o.address == address}
        assert set(verdicts.values()) == {Verdict.UNDECIDED}
        assert {"FO102", "FO107", "FO108", "FO112"} <= set(verdicts)


def test_alarms_that_cannot_be_counted_leave_undecided_what_they_may_watch(tmp_path: Path) -> None:
    alarms = """
data "aws_ssm_parameter" "alarms" {
  name = "/alarms"
}
resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = jsondecode(data.aws_ssm_parameter.alarms.value)

  alarm_name  = each.key
  namespace   = each.value.namespace
  metric_name = each.value.metric
}
resource "aws_cloudwatch_metric_alarm" "silent" {
  alarm_name          = "silent"
  namespace           = "FanoutOnce"
  metric_name         = "Maintenance"
  comparison_operator = "GreaterThanThreshold"
  evaluation_periods  = 1
  threshold           = 0
  treat_missing_data  = "notBreaching"
}
resource "aws_cloudwatch_composite_alarm" "this" {
  for_each = jsondecode(data.aws_ssm_parameter.alarms.value)

  alarm_name = each.key
  alarm_rule = each.value.rule
}
"""
    (tmp_path / "main.tf").write_text(QUEUES + FUNCTION + alarms, encoding="utf-8")

    verdicts = {(o.rule.id, o.address): o.verdict for o in judge(read_source(tmp_path)).outcomes}

    assert verdicts["FO501", "aws_sqs_queue.dead_letter"] is Verdict.UNDECIDED
    assert verdicts["FO505", "aws_cloudwatch_metric_alarm.silent"] is Verdict.UNDECIDED
