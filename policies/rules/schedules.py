"""Rules about EventBridge schedules, rules and subscriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from policies.plan import UNKNOWN, Arn, Plan, Resource, Statement, Undecided
from policies.plan.model import dotted, value_at
from policies.rules import links
from policies.rules.access import SERVICE_SENDERS
from policies.rules.functions import refuse_fifo
from policies.rules.rule import Open, Severity, rule
from policies.topology.consumption import FUNCTION, fifo
from policies.topology.failures import QUEUE
from policies.topology.permissions import (
    ROLE,
    TRUST_POLICIES,
    Grants,
    grants_on,
    policies_in,
    policies_of_role,
)

SCHEDULE = "aws_scheduler_schedule"
SERVICE = "scheduler.amazonaws.com"
_REDRIVEN = ("sqs", "lambda", "firehose", "https")
_DEAD_LETTER = ("target", 0, "dead_letter_config", 0, "arn")
_CRON = re.compile(r"^cron\((\S+) (\S+) ")
_AT = re.compile(r"^at\(\d+-\d+-\d+T(\d{2}):(\d{2})")


@rule(
    "FO401",
    Severity.HIGH,
    title="A schedule has a dead-letter queue",
    why="An invocation that Scheduler gives up, after its retries or its age limit, is otherwise gone: a"
    " month is not billed.",
    fix="""
target {
  dead_letter_config {
    arn = aws_sqs_queue.schedule_failures.arn
  }
}
""",
    link=links.SCHEDULER_DLQ,
    subjects=(SCHEDULE,),
)
def schedule_has_dead_letter_queue(schedule: Resource, _plan: Plan) -> Iterator[str | Open]:
    for target in schedule.values.blocks("target"):
        config = target.block("dead_letter_config")
        if config is None or config.raw("arn") in (None, ""):
            yield "its target has no dead_letter_config; name a standard queue there"


@rule(
    "FO402",
    Severity.HIGH,
    title="The dead-letter queue of a schedule is a standard queue",
    why="Scheduler takes no FIFO queue there; handing it the job's own dead-letter queue fails at apply.",
    fix="""
resource "aws_sqs_queue" "schedule_failures" {
  name = "charge-schedule-failures" # a standard queue of its own
}
""",
    link=links.SCHEDULER_DLQ,
    subjects=(SCHEDULE, "aws_cloudwatch_event_target"),
)
def schedule_dead_letters_go_to_a_standard_queue(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    path = _DEAD_LETTER if holder.type == SCHEDULE else ("dead_letter_config", 0, "arn")
    yield from refuse_fifo(holder, plan, path)


@rule(
    "FO403",
    Severity.HIGH,
    title="A schedule's role trusts Scheduler for its schedule group",
    why="Scheduler presents the ARN of the group when it takes the role: a trust without it serves any"
    " account, one that"
    " names a schedule serves nobody.",
    fix="""
condition {
  test     = "StringEquals"
  variable = "aws:SourceArn"
  values   = [aws_scheduler_schedule_group.this.arn]
}
condition {
  test     = "StringEquals"
  variable = "aws:SourceAccount"
  values   = [data.aws_caller_identity.current.account_id]
}
""",
    link=links.SCHEDULER_DEPUTY,
    subjects=(SCHEDULE,),
)
def role_trusts_the_group(schedule: Resource, plan: Plan) -> Iterator[str | Open]:
    role = plan.one(schedule, "target", 0, "role_arn", kinds=(ROLE,))
    if role is None:
        return
    documents = list(policies_in(role, plan, TRUST_POLICIES))
    statements = [
        s for document in documents for s in document.statements if s.allows and SERVICE in s.services()
    ]
    if not statements:
        if any(document.gaps for document in documents):
            raise Undecided(f"the trust of {role} is known after the apply only")
        yield f"{role} does not trust {SERVICE}; write that principal into its assume_role_policy"
    for statement in statements:
        yield from _judge_trust(role, statement, _group_of(schedule))


def _group_of(schedule: Resource) -> str | None:
    group = schedule.values.raw("group_name")
    return group if isinstance(group, str) else None


def _judge_trust(role: Resource, statement: Statement, group: str | None) -> Iterator[str | Open]:
    accounts = [value for c in statement.condition("aws:sourceaccount") for value in c.values]
    arns = [value for c in statement.condition("aws:sourcearn") for value in c.values]
    if not accounts:
        yield f"the trust of {role} has no condition on aws:SourceAccount; add one with the account's id"
    if any(
        value != UNKNOWN and not (isinstance(value, str) and re.fullmatch(r"\d{12}", value))
        for value in accounts
    ):
        yield f"aws:SourceAccount in the trust of {role} is no account id; write the 12 digits"
    if not arns:
        yield f"the trust of {role} has no condition on aws:SourceArn; add one with the schedule group's ARN"
    for text in arns:
        if not isinstance(text, str):
            continue
        arn = Arn.parse(text)
        resource = arn.resource if arn else ""
        if not resource.startswith("schedule-group/"):
            yield (
                f"aws:SourceArn in the trust of {role} names no schedule group; write"
                " arn:…:schedule-group/NAME"
            )
        elif group is not None and not re.fullmatch(
            re.escape(resource).replace(r"\*", ".*"), f"schedule-group/{group}"
        ):
            yield (
                f'the trust of {role} is for {resource}, the schedule is in "{group}"; write the ARN of'
                " that group"
            )


@rule(
    "FO404",
    Severity.HIGH,
    title="A schedule states a timezone that there is",
    why="Left out, cron means UTC: 03:00 on the 1st in Tokyo is then the 1st at noon, and the month is"
    " computed from another"
    " day. Names that are no IANA zone (JST) are refused at apply.",
    fix="""
resource "aws_scheduler_schedule" "this" {
  schedule_expression_timezone = "Asia/Tokyo"
}
""",
    link=links.SCHEDULER_TYPES,
    subjects=(SCHEDULE,),
)
def timezone_is_stated(schedule: Resource, plan: Plan) -> Iterator[str | Open]:
    expression = schedule.values.text("schedule_expression") or ""
    if expression.startswith("rate("):
        return
    zone = schedule.values.text("schedule_expression_timezone")
    if zone is None or (zone == "UTC" and not _stated(schedule, plan)):
        yield 'schedule_expression_timezone is not written; write the zone that is meant, "UTC" included'
    elif _zone(zone) is None:
        yield (
            f'schedule_expression_timezone is "{zone}", which is no IANA zone; write one such as "Asia/Tokyo"'
        )


def _stated(schedule: Resource, plan: Plan) -> bool:
    attribute = "schedule_expression_timezone"
    if schedule.place is not None:  # source mode has what is written, and no defaults
        return True
    trail = plan.trail(schedule, attribute)
    constant = plan.references.constant(schedule, attribute)
    return constant is not None or bool(plan.references.written(schedule, attribute)) or trail.lost


@lru_cache(maxsize=256)
def _zone(name: str) -> ZoneInfo | None:
    """The IANA zone of a name, or None when there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # unknown, no path, a folder of zones
        return None


@rule(
    "FO405",
    Severity.MEDIUM,
    title="A schedule is due at an hour that exists every day",
    why="A local time that the change to summer time skips does not fire that day.",
    fix="""
resource "aws_scheduler_schedule" "this" {
  schedule_expression = "cron(30 4 1 * ? *)" # after the change, or a zone without one
}
""",
    link=links.SCHEDULER_TYPES,
    subjects=(SCHEDULE,),
)
def hour_exists_every_day(schedule: Resource, _plan: Plan) -> Iterator[str | Open]:
    expression = schedule.values.text("schedule_expression") or ""
    zone = schedule.values.text("schedule_expression_timezone") or "UTC"
    due = _AT.match(expression)
    if due is not None:
        times = [(due[2], due[1])]
    else:
        cron = _CRON.match(expression)
        times = (
            [(minute, hour) for hour in cron[2].split(",") for minute in cron[1].split(",")] if cron else []
        )
    if _zone(zone) is None:
        return
    for minute, hour in times:
        if hour.isdecimal() and minute.isdecimal() and _skipped(zone, int(hour), int(minute)):
            yield (
                f"{expression} is due at {int(hour):02}:{int(minute):02}, which {zone} skips when summer"
                " time begins"
            )
            return


@lru_cache(maxsize=256)
def _gaps(zone: str) -> frozenset[int]:
    """Minutes of the day that a clock change skips in a zone, in a sample of years."""
    place = ZoneInfo(zone)
    skipped: set[int] = set()
    for day in range(3 * 366):
        midnight = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
        before, after = (
            moment.astimezone(place).utcoffset() for moment in (midnight, midnight + timedelta(days=1))
        )
        if before is None or after is None or after <= before:
            continue
        # Somewhere in these 24 hours clocks go forward: find the minute.
        low, high = 0, 24 * 60
        while high - low > 1:
            middle = (low + high) // 2
            if (midnight + timedelta(minutes=middle)).astimezone(place).utcoffset() == before:
                low = middle
            else:
                high = middle
        local = (midnight + timedelta(minutes=high)).astimezone(place).replace(tzinfo=None) - (after - before)
        start = local.hour * 60 + local.minute
        skipped.update(
            (start + offset) % 1440 for offset in range(int((after - before).total_seconds() // 60))
        )
    return frozenset(skipped)


def _skipped(zone: str, hour: int, minute: int) -> bool:
    return hour * 60 + minute in _gaps(zone)


@rule(
    "FO406",
    Severity.HIGH,
    title="A schedule's input keeps its angle brackets",
    why="jsonencode turns <aws.scheduler.scheduled-time> into \\u003c…\\u003e; Scheduler replaces"
    " nothing then, and the"
    " function gets the placeholder for a time.",
    fix="""
input = replace(replace(jsonencode({
  scheduled_time = "<aws.scheduler.scheduled-time>"
}), "\\\\u003c", "<"), "\\\\u003e", ">")
""",
    link=links.SCHEDULER_CONTEXT,
    subjects=(SCHEDULE,),
)
def input_keeps_its_brackets(schedule: Resource, _plan: Plan) -> Iterator[str | Open]:
    for target in schedule.values.blocks("target"):
        text = target.text("input") or ""
        if re.search(r"\\u003caws\.scheduler\.", text, re.IGNORECASE):
            yield (
                "its input holds \\u003caws.scheduler.…: render < and > as themselves, by replace()"
                " around jsonencode()"
            )
        elif "<aws.scheduler.execution-id>" in text and "<aws.scheduler.scheduled-time>" not in text:
            yield (
                "its input has the execution-id, which differs from attempt to attempt, and no"
                " scheduled-time; add that"
            )


@rule(
    "FO407",
    Severity.MEDIUM,
    title="A schedule tries again",
    why="With no retries a single throttled call is the end of a month's run.",
    fix="""
target {
  retry_policy {
    maximum_retry_attempts       = 185
    maximum_event_age_in_seconds = 86400
  }
}
""",
    link=links.SCHEDULER_DLQ,
    subjects=(SCHEDULE,),
)
def schedule_tries_again(schedule: Resource, _plan: Plan) -> Iterator[str | Open]:
    for target in schedule.values.blocks("target"):
        policy = target.block("retry_policy")
        attempts = policy.number("maximum_retry_attempts", 185) if policy else 185
        if attempts == 0:
            yield "maximum_retry_attempts is 0; write 1 to 185"


@rule(
    "FO408",
    Severity.HIGH,
    title="A schedule's role may invoke its target and write to its dead-letter queue",
    why="Both calls are made with the schedule's role: without the second right, what could not be"
    " delivered is dropped"
    " without a word.",
    fix="""
statement {
  actions   = ["sqs:SendMessage"]
  resources = [aws_sqs_queue.schedule_failures.arn]
}
""",
    link=links.SCHEDULER_DLQ,
    subjects=(SCHEDULE,),
)
def role_may_do_its_work(schedule: Resource, plan: Plan) -> Iterator[str | Open]:
    role = plan.one(schedule, "target", 0, "role_arn", kinds=(ROLE,))
    if role is None:
        return
    grants = policies_of_role(role, plan)
    for path, kind, action in (
        (("target", 0, "arn"), FUNCTION, "lambda:InvokeFunction"),
        (("target", 0, "arn"), QUEUE, "sqs:SendMessage"),
        (_DEAD_LETTER, QUEUE, "sqs:SendMessage"),
    ):
        yield from _judge_right(schedule, plan, path, (kind, action), grants)


def _judge_right(
    schedule: Resource, plan: Plan, path: tuple[str | int, ...], wanted: tuple[str, str], grants: Grants
) -> Iterator[str | Open]:
    kind, action = wanted
    try:
        target = plan.one(schedule, *path, kinds=(kind,))
        if target is not None and not grants_on(grants, action, target, plan):
            yield f"its role may not {action} on {target}; grant it"
    except Undecided as reason:
        yield Open(str(reason))


@rule(
    "FO409",
    Severity.MEDIUM,
    title="A rule's target and a topic's subscription have a dead-letter queue each",
    why="What EventBridge or SNS cannot deliver, for want of a right or because the target is gone, is"
    " otherwise dropped.",
    fix="""
resource "aws_sns_topic_subscription" "this" {
  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.undelivered.arn })
}
""",
    link=links.SNS_DLQ,
    subjects=("aws_cloudwatch_event_target", "aws_sns_topic_subscription"),
)
def deliveries_have_dead_letter_queues(delivery: Resource, _plan: Plan) -> Iterator[str | Open]:
    if delivery.type == "aws_cloudwatch_event_target":
        config = delivery.values.block("dead_letter_config")
        if config is None or config.raw("arn") in (None, ""):
            yield "it has no dead_letter_config; name a standard queue there"
    elif delivery.values.text("protocol") in _REDRIVEN and delivery.values.raw("redrive_policy") in (
        None,
        "",
    ):
        yield "it has no redrive_policy; write one with the ARN of a dead-letter queue"


@rule(
    "FO410",
    Severity.HIGH,
    title="What sends to a FIFO queue can give what such a queue asks for",
    why="A FIFO queue takes no message without a group and a deduplication id. A standard topic and a bucket"
    " have neither, and are refused at apply; a rule and a schedule have a group when it is written, and no"
    " deduplication id, so that each of their messages is refused unless the queue goes by content.",
    fix="""
# A function between them, which sends with the group and the key that the event stands for.
resource "aws_cloudwatch_event_target" "this" {
  arn = aws_lambda_function.intake.arn
}
""",
    link=links.EVENTS_TARGETS,
    subjects=(SCHEDULE, *SERVICE_SENDERS),
)
def fifo_queues_get_what_they_ask_for(sender: Resource, plan: Plan) -> Iterator[str | Open]:
    for path, group in _queue_paths(sender):
        queue = plan.one(sender, *path, kinds=(QUEUE,))
        if queue is None or not fifo(queue):
            continue
        if sender.type == "aws_sns_topic_subscription":
            topic = plan.one(sender, "topic_arn", kinds=("aws_sns_topic",))
            if topic is not None and not topic.values.flag("fifo_topic"):
                yield f"{topic} is a standard topic and {queue} a FIFO queue; write fifo_topic = true"
        elif group is None:
            yield f"a bucket cannot notify {queue}, a FIFO queue; name a standard queue"
        else:
            if value_at(sender, *group) in (None, ""):
                yield f"it sends to {queue}, a FIFO queue, without {dotted(group)}; write the group"
            if not queue.values.flag("content_based_deduplication"):
                yield (
                    f"it sends no deduplication id, and {queue}, a FIFO queue, does not go by content; put a"
                    " function between them, which sends with the key"
                )


def _queue_paths(
    sender: Resource,
) -> Iterator[tuple[tuple[str | int, ...], tuple[str | int, ...] | None]]:
    """Where a sender names a queue, and where the group for it."""
    if sender.type == SCHEDULE:
        yield ("target", 0, "arn"), ("target", 0, "sqs_parameters", 0, "message_group_id")
    elif sender.type == "aws_cloudwatch_event_target":
        yield ("arn",), ("sqs_target", 0, "message_group_id")
    elif sender.type == "aws_s3_bucket_notification":
        for index, _ in enumerate(sender.values.blocks("queue")):
            yield ("queue", index, "queue_arn"), None
    elif sender.values.text("protocol") == "sqs":
        yield ("endpoint",), None
