"""Rules about alarms: that they exist, that they can fire, and that somebody is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from policies.plan import UNKNOWN, Arn, Plan, Resource, Undecided
from policies.rules import links
from policies.rules.keys import key_admits
from policies.rules.origins import OF_MAPPINGS, judge_origin
from policies.rules.rule import Open, Severity, rule
from policies.topology.consumption import consumption
from policies.topology.failures import QUEUE, failures
from policies.topology.permissions import KEY, names_action, policy_on
from policies.topology.watching import ALARM, COMPOSITE, Watch, taken_up, tells, watches, watches_of

TOPIC = "aws_sns_topic"
CLOUDWATCH = "cloudwatch.amazonaws.com"
DAY = 86_400
_SPARSE = ("AWS/SQS", "AWS/Lambda", "AWS/Scheduler")  # they pause while nothing happens


def _covered(resource: Resource, name: str, metrics: tuple[tuple[str, str], ...], plan: Plan) -> bool:
    """Whether an alarm watches one of the metrics of a resource. Raises Undecided."""
    view = plan.view(watches)
    if any(view.on(namespace, metric, resource, name) for namespace, metric in metrics):
        return True
    adrift = [watch for wanted in metrics for watch in view.adrift.get(wanted, [])]
    if adrift:
        raise Undecided(f"{adrift[0].alarm} may watch it: its dimensions are known after the apply only")
    if view.unread:
        raise Undecided(f"{view.unread[0]} may watch it: what it watches is known after the apply only")
    return False


@rule(
    "FO501",
    Severity.HIGH,
    title="Every dead-letter queue has an alarm at its first message",
    why="A message there is an employee who was not charged. Nobody looks at a dead-letter queue unasked.",
    fix="""
resource "aws_cloudwatch_metric_alarm" "dead_letters" {
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.dead_letter.name }
  statistic           = "Maximum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  period              = 60
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.critical.arn]
}
""",
    link=links.SQS_METRICS,
    subjects=(QUEUE,),
)
def dead_letters_raise_an_alarm(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    if queue.address not in plan.view(failures).takers:
        return
    metric = ("AWS/SQS", "ApproximateNumberOfMessagesVisible")
    if not _covered(queue, "name", (metric,), plan):
        yield "it takes failures and no alarm watches its ApproximateNumberOfMessagesVisible; write one at 1"
        return
    found = plan.view(watches).on(*metric, queue, "name")
    if not any(_at_first_message(watch.alarm) for watch in found):
        yield (
            f"{found[0].alarm} does not fire at the first message; write threshold = 1 with"
            " GreaterThanOrEqualToThreshold"
        )


def _at_first_message(alarm: Resource) -> bool:
    if alarm.values.raw("metric_name") is None:
        return True  # a metric expression is not read
    threshold = alarm.values.number("threshold")
    if threshold is None:
        return False
    comparison = alarm.values.text("comparison_operator")
    if comparison == "GreaterThanThreshold":
        return 0 <= threshold < 1
    return comparison == "GreaterThanOrEqualToThreshold" and 0 < threshold <= 1


@rule(
    "FO502",
    Severity.HIGH,
    title="No alarm of a dead-letter queue counts messages sent",
    why="A message that SQS moves counts as sent nowhere: an alarm on NumberOfMessagesSent of a"
    " dead-letter queue never fires.",
    fix="""
metric_name = "ApproximateNumberOfMessagesVisible"
""",
    link=links.SQS_METRICS,
    subjects=(QUEUE,),
)
def dead_letters_are_not_counted_as_sent(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    if queue.address not in plan.view(failures).takers:
        return
    view = plan.view(watches)
    for watch in view.on("AWS/SQS", "NumberOfMessagesSent", queue, "name"):
        yield f"{watch.alarm} watches its NumberOfMessagesSent; write ApproximateNumberOfMessagesVisible"
    for watch in view.adrift.get(("AWS/SQS", "NumberOfMessagesSent"), []):
        yield Open(f"{watch.alarm} may watch it: its dimensions are known after the apply only")


@rule(
    "FO503",
    Severity.MEDIUM,
    title="Every queue that is read has an alarm on the age of its oldest message",
    why="A consumer that has stopped makes no errors; the age of what waits is what tells.",
    fix="""
resource "aws_cloudwatch_metric_alarm" "age" {
  namespace   = "AWS/SQS"
  metric_name = "ApproximateAgeOfOldestMessage"
  dimensions  = { QueueName = aws_sqs_queue.this.name }
}
""",
    link=links.SQS_METRICS,
    subjects=(QUEUE,),
)
def waiting_raises_an_alarm(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    view = plan.view(consumption)
    if queue.address not in view.by_queue:
        if view.adrift:
            raise Undecided(view.adrift[0])
        return
    if not _covered(queue, "name", (("AWS/SQS", "ApproximateAgeOfOldestMessage"),), plan):
        yield "it is read by a function and no alarm watches its ApproximateAgeOfOldestMessage; write one"


@rule(
    "FO504",
    Severity.MEDIUM,
    title="Every alarm says what missing data means",
    why="Metrics of an idle queue or a monthly job are sparse: by default the alarm goes to"
    " INSUFFICIENT_DATA and back, and"
    " mails everyone, or hides a run that never was.",
    fix="""
treat_missing_data = "notBreaching" # "breaching" for a heartbeat
""",
    link=links.ALARM_MISSING_DATA,
    subjects=(ALARM,),
)
def missing_data_is_stated(alarm: Resource, plan: Plan) -> Iterator[str | Open]:
    # DynamoDB's alarms ignore missing data whatever is written.
    if alarm.values.raw("namespace") == "AWS/DynamoDB":
        return
    value = alarm.values.text("treat_missing_data")
    if value is None or (
        value == "missing" and plan.references.constant(alarm, "treat_missing_data") != "missing"
    ):
        yield 'treat_missing_data is not stated; write "notBreaching", or "breaching" for a heartbeat'
    actions = alarm.values.raw("insufficient_data_actions")
    if actions and any(watch.namespace in _SPARSE for watch in watches_of(alarm)):
        yield "insufficient_data_actions mails whenever a sparse metric pauses; leave it out"


@rule(
    "FO505",
    Severity.HIGH,
    title="Every alarm tells somebody",
    why="An alarm without an action, which no composite alarm takes up either, turns red in a console"
    " that nobody watches.",
    fix="""
alarm_actions = [aws_sns_topic.critical.arn]
""",
    link=links.ALARM_ACTIONS,
    subjects=(ALARM, COMPOSITE),
)
def alarm_tells_somebody(alarm: Resource, plan: Plan) -> Iterator[str | Open]:
    if tells(alarm) or taken_up(alarm, plan):
        return
    if alarm.values.raw("actions_enabled") is False:
        yield "actions_enabled is false and no composite alarm refers to it; leave it out"
    else:
        yield "alarm_actions is empty and no composite alarm refers to it; name a topic"


@rule(
    "FO506",
    Severity.HIGH,
    title="CloudWatch may use the key of the topic that an alarm tells",
    why="CloudWatch's publish to a topic with a key that does not admit cloudwatch.amazonaws.com is"
    " dropped without a word;"
    " alias/aws/sns never admits it.",
    fix="""
statement {
  actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
  resources = ["*"]
  principals {
    type        = "Service"
    identifiers = ["cloudwatch.amazonaws.com"]
  }
  condition {
    test     = "StringEquals"
    variable = "aws:SourceAccount"
    values   = [data.aws_caller_identity.current.account_id]
  }
}
""",
    link=links.SNS_KEYS,
    subjects=(ALARM, COMPOSITE),
)
def cloudwatch_may_use_the_key(alarm: Resource, plan: Plan) -> Iterator[str | Open]:
    return _each_topic(alarm, plan, _judge_key)


def _each_topic(
    alarm: Resource, plan: Plan, ask: Callable[[Resource, Plan], Iterator[str | Open]]
) -> Iterator[str | Open]:
    """What `ask` says of each topic that an alarm tells."""
    for attribute in ("alarm_actions", "ok_actions", "insufficient_data_actions"):
        value = alarm.values.raw(attribute)
        listed = value if isinstance(value, list) else [] if value is None else [value]
        for action in listed:
            if isinstance(action, str):
                yield from _named_topic(alarm, attribute, action, plan, ask)
        unknown = sum(not isinstance(action, str) for action in listed)
        if unknown:
            candidates = [r for r in plan.trail(alarm, attribute).found.values() if r.type == TOPIC]
            yield from _one_of(candidates, unknown, attribute, plan, ask)


def _named_topic(
    alarm: Resource,
    attribute: str,
    action: str,
    plan: Plan,
    ask: Callable[[Resource, Plan], Iterator[str | Open]],
) -> Iterator[str | Open]:
    found = plan.named(action, (TOPIC,), alarm.values.raw("region"))
    arn = Arn.parse(action)
    if found:
        yield from ask(found[0], plan)
    elif arn is not None and arn.service == "sns":
        yield Open(
            f"{attribute} names {action}, which is not in this plan (hand its plan or state over with"
            " --context)"
        )


def _one_of(
    candidates: list[Resource],
    wanted: int,
    attribute: str,
    plan: Plan,
    ask: Callable[[Resource, Plan], Iterator[str | Open]],
) -> Iterator[str | Open]:
    """What is said of topics of which it is unknown which are told: a finding where each gives one."""
    if not candidates:
        yield Open(f"{attribute} is known after the apply only")
    said = {topic: list(ask(topic, plan)) for topic in candidates}
    certain = len(candidates) <= wanted or all(any(isinstance(s, str) for s in of) for of in said.values())
    for topic, answers in said.items():
        for answer in answers:
            if certain or isinstance(answer, Open):
                yield answer
            else:
                yield Open(f"{attribute} may name {topic}: {answer}")


def _judge_key(topic: Resource, plan: Plan) -> Iterator[str | Open]:
    key_id = topic.values.raw("kms_master_key_id")
    if key_id in (None, ""):
        return
    if isinstance(key_id, str) and key_id.rpartition(":")[2] == "alias/aws/sns":
        yield (
            f"{topic} is encrypted with alias/aws/sns, which CloudWatch may never use; write a key of"
            " your own"
        )
        return
    try:
        key = plan.one(topic, "kms_master_key_id", kinds=(KEY,))
    except Undecided as reason:
        yield Open(f"{topic}: {reason}")
        return
    if key is None:
        yield Open(f"{topic}: its key is not in this plan")
        return
    yield from key_admits(CLOUDWATCH, key, topic, plan)


@rule(
    "FO507",
    Severity.HIGH,
    title="An alarm watches something that there is",
    why="CloudWatch takes any dimension and never complains: an alarm on charges-dlq, where the queue is"
    " charges-dlq.fifo, is"
    " green for ever.",
    fix="""
dimensions = { QueueName = aws_sqs_queue.dead_letter.name } # with its .fifo
""",
    link=links.SQS_METRICS,
    subjects=(ALARM,),
)
def alarm_watches_something(alarm: Resource, plan: Plan) -> Iterator[str | Open]:
    for watch in watches_of(alarm):
        if watch.dimensions is None:
            yield from judge_origin(watch, plan)
            continue
        yield from _judge_queue_name(watch, plan)
        yield from _judge_dimensions(watch)


def _judge_queue_name(watch: Watch, plan: Plan) -> Iterator[str | Open]:
    if watch.namespace != "AWS/SQS" or watch.dimensions is None:
        return
    name = watch.dimensions.get("QueueName")
    if name is None:
        yield f"it watches {watch.metric} of AWS/SQS without the dimension QueueName; add it"
    elif isinstance(name, str) and not plan.named(name, (QUEUE,)):
        other = name.removesuffix(".fifo") if name.endswith(".fifo") else f"{name}.fifo"
        same = plan.named(other, (QUEUE,))
        if same:
            yield f'QueueName is "{name}", {same[0]} is "{other}"; write the queue\'s name as it is'
        elif name.startswith(("arn:", "https:")):
            yield "QueueName is an ARN or a URL; write the queue's name"


# What a metric is published under; an alarm with other dimensions finds no data.
_NEEDED: dict[tuple[str, str], set[str]] = {
    ("AWS/DynamoDB", "SystemErrors"): {"TableName", "Operation"},
    ("AWS/DynamoDB", "ThrottledRequests"): {"TableName", "Operation"},
    ("AWS/DynamoDB", "UserErrors"): set(),
    ("AWS/DynamoDB", "TransactionConflict"): {"TableName"},
    **{("AWS/Lambda", metric): {"EventSourceMappingUUID"} for metric in OF_MAPPINGS},
}


def _judge_dimensions(watch: Watch) -> Iterator[str | Open]:
    if watch.dimensions is None or not isinstance(watch.namespace, str) or not isinstance(watch.metric, str):
        return
    given = {name for name, value in watch.dimensions.items() if value is not None}
    needed: set[str] | None = _NEEDED.get((watch.namespace, watch.metric))
    if watch.namespace == "AWS/Scheduler":
        needed = {"ScheduleGroup"}
    if needed is not None and given != needed and not (watch.namespace == "AWS/Scheduler" and not given):
        wanted = " and ".join(sorted(needed)) or "no dimension"
        yield (
            f"{watch.metric} of {watch.namespace} is published with {wanted}, not with"
            f" {' and '.join(sorted(given)) or 'none'}"
        )


@rule(
    "FO508",
    Severity.MEDIUM,
    title="An alarm looks back no further than CloudWatch does",
    why="Seven days at most, one day where the period is under an hour: an alarm for a job of the month"
    " needs an auditor that"
    " writes a metric, not a longer period.",
    fix="""
period             = 3600
evaluation_periods = 24 # period x evaluation_periods <= 604800; <= 86400 with a period under 3600
""",
    link=links.ALARM_LIMITS,
    subjects=(ALARM,),
)
def alarm_looks_back_as_far_as_it_can(alarm: Resource, _plan: Plan) -> Iterator[str | Open]:
    periods = alarm.values.number("evaluation_periods", 1) or 1
    lengths = [alarm.values.number("period", 0) or 0]
    for query in alarm.values.blocks("metric_query"):
        lengths.append(query.number("period", 0) or 0)
        lengths += [metric.number("period", 0) or 0 for metric in query.blocks("metric")]
    for length in lengths:
        limit = 7 * DAY if length >= 3600 else DAY
        if length * periods > limit:
            yield (
                f"period x evaluation_periods is {length * periods:.15g} s; {limit} are allowed with a"
                f" period of {length:.15g} s"
            )
            return


@rule(
    "FO509",
    Severity.MEDIUM,
    title="Every schedule group has an alarm on what it could not invoke",
    why="A schedule that cannot reach its target starts nothing, so that nothing else can fail or be"
    " late either.",
    fix="""
resource "aws_cloudwatch_metric_alarm" "schedule" {
  namespace   = "AWS/Scheduler"
  metric_name = "TargetErrorCount" # and InvocationDroppedCount
  dimensions  = { ScheduleGroup = aws_scheduler_schedule_group.this.name }
}
""",
    link=links.SCHEDULER_METRICS,
    subjects=("aws_scheduler_schedule_group",),
)
def schedules_raise_an_alarm(group: Resource, plan: Plan) -> Iterator[str | Open]:
    metrics = ("TargetErrorCount", "InvocationDroppedCount", "InvocationsSentToDeadLetterCount")
    if not _covered(group, "name", tuple(("AWS/Scheduler", metric) for metric in metrics), plan):
        yield f"no alarm watches {metrics[0]}, {metrics[1]} or {metrics[2]} of it; write one"


@rule(
    "FO510",
    Severity.HIGH,
    title="CloudWatch may publish to the topic that an alarm tells",
    why="A topic's own policy takes the place of the one that lets its account publish: one that names a"
    " bucket or a rule only drops every alarm without a word.",
    fix="""
statement {
  actions   = ["sns:Publish"]
  resources = [aws_sns_topic.critical.arn]
  principals {
    type        = "Service"
    identifiers = ["cloudwatch.amazonaws.com"]
  }
  condition {
    test     = "StringEquals"
    variable = "aws:SourceAccount"
    values   = [data.aws_caller_identity.current.account_id]
  }
}
""",
    link=links.SNS_POLICIES,
    subjects=(ALARM, COMPOSITE),
)
def cloudwatch_may_publish(alarm: Resource, plan: Plan) -> Iterator[str | Open]:
    return _each_topic(alarm, plan, _judge_topic)


def _judge_topic(topic: Resource, plan: Plan) -> Iterator[str | Open]:
    grants = policy_on(topic, plan)
    admitting = [s for s in grants.statements if s.allows and names_action(s, "sns:Publish")]
    if not grants.holders or any(
        principal.name in (CLOUDWATCH, "*", UNKNOWN) for s in admitting for principal in s.principals
    ):
        return
    if grants.gaps:
        yield Open(grants.gaps[0])
    else:
        yield (
            f"the policy of {topic} ({grants.holders[0]}) does not let {CLOUDWATCH} publish; add an Allow of"
            " sns:Publish for it"
        )
