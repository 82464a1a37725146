"""For every rule: how it is broken, and what may be unknown.

Each case changes one thing of the good composition. `subject` is the short name of the resource that the
finding is about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.policies.support.good import Stack, deny_plain_http
from tests.policies.support.stack import ACCOUNT, REGION, Json, Opaque, Policy, Res

Change = Callable[[Stack], object]


@dataclass(frozen=True)
class Case:
    """A change after which `rule` speaks of `subject`; `says` is in its message.

    `of`: what carries the change, when it is not the values: the `text` of a policy (which a policy document
    does not have), the `configuration` (which instances share), or a `reference` (which they share while
    it is unknown).
    """

    rule: str
    subject: str
    change: Change
    says: str = ""
    of: str = "values"

    @property
    def name(self) -> str:
        return f"{self.rule}-{self.subject}" + (f"-{self.says}" if self.says else "")


def both(*changes: Change) -> Change:
    """Several changes, in order."""

    def change(stack: Stack) -> None:
        for one in changes:
            one(stack)

    return change


def give(name: str, attribute: str, other: str) -> Change:
    """Set an argument to a list of one: another resource's ARN."""
    return lambda stack: stack[name].values.update({attribute: [stack[other].ref()]})


def put(name: str, /, **values: Any) -> Change:
    """Set arguments of a resource."""
    return lambda stack: stack[name].values.update(values)


def drop(name: str, *attributes: str) -> Change:
    """Take arguments away."""
    return lambda stack: [stack[name].values.pop(attribute) for attribute in attributes]


def leaves(name: str, *actions: str) -> Change:
    """Let the plan delete a resource, or do to it what `actions` say."""
    return lambda stack: setattr(stack[name], "actions", actions or ("delete",))


def _other_source(stack: Stack) -> None:
    """The mapping is replaced, and nothing says what the new one reads."""
    mapping = stack["mapping"]
    mapping.before = dict(mapping.values)
    mapping.actions = ("delete", "create")
    mapping.hide("event_source_arn")


def _audit(state: str) -> Change:
    """A schedule `audit` beside the job's own."""

    def change(stack: Stack) -> None:
        values = {**stack["schedule"].values, "name": "audit", "state": state}
        stack["audit"] = Res("aws_scheduler_schedule", "audit", values)

    return change


def without(*names: str) -> Change:
    """Take resources away."""
    return lambda stack: [stack.pop(name) for name in names]


def hide(name: str, *path: str | int) -> Change:
    """Make an argument unknown."""
    return lambda stack: stack[name].hide(*path)


def target(**values: Any) -> Change:
    """Set arguments of the schedule's target."""
    return lambda stack: stack["schedule"].values["target"][0].update(values)


def statement(name: str, attribute: str, index: int, /, **values: Any) -> Change:
    """Set members of a policy's statement."""
    return lambda stack: stack[name].values[attribute].statements[index].update(values)


def more(name: str, attribute: str, /, **values: Any) -> Change:
    """Add a statement to a policy."""
    return lambda stack: stack[name].values[attribute].statements.append(values)


def redrive(**values: Any) -> Change:
    """Change the queue's redrive policy."""
    return lambda stack: stack["redrive"].values["redrive_policy"].value.update(values)


def allow_policy(value: Any) -> Change:
    """Replace the dead-letter queue's redrive allow policy."""
    return put("redrive_allow", redrive_allow_policy=value)


def _second_policy(stack: Stack) -> None:
    queue = stack["queue"]
    values = {"queue_url": queue.ref("url"), "policy": Policy([deny_plain_http(queue)])}
    stack["second_policy"] = Res("aws_sqs_queue_policy", "second", values)


def _inline_policy(stack: Stack) -> None:
    stack["queue"].values["policy"] = Policy([deny_plain_http(stack["queue"])])


def _second_mapping(stack: Stack) -> None:
    stack["second_mapping"] = Res(
        "aws_lambda_event_source_mapping", "second", dict(stack["mapping"].values), [stack["consumer_policy"]]
    )


def _reserved(value: int) -> Change:
    return put("consumer", reserved_concurrent_executions=value)


def _fifo_failures(stack: Stack) -> None:
    stack["schedule"].values["target"][0]["dead_letter_config"] = [{"arn": stack["dlq"].ref()}]


def _invoke_to(name: str) -> Change:
    def change(stack: Stack) -> None:
        stack["invoke_config"].values["destination_config"] = [
            {"on_failure": [{"destination": stack[name].ref()}]}
        ]

    return change


def _unencrypted_role(stack: Stack) -> None:
    del stack["producer_policy"].values["policy"].statements[1]


def _trust(**condition: Any) -> Change:
    def change(stack: Stack) -> None:
        statement = stack["schedule_role"].values["assume_role_policy"].statements[0]
        statement["Condition"] = {"StringEquals": {**statement["Condition"]["StringEquals"], **condition}}
        statement["Condition"]["StringEquals"] = {
            key: value for key, value in statement["Condition"]["StringEquals"].items() if value is not None
        }

    return change


def _log_event(value: Any) -> Change:
    return put("consumer", environment=[{"variables": {"POWERTOOLS_LOGGER_LOG_EVENT": value}}])


def _plain_name(stack: Stack) -> None:
    name = stack["dlq"].values["name"].removesuffix(".fifo")
    stack["dlq_alarm"].values["dimensions"] = {"QueueName": name}


def _fed_by(sender: str, attribute: str, **more: Any) -> Change:
    """Have a sender send to the FIFO queue, by its attribute."""
    return lambda stack: stack[sender].values.update({attribute: stack["queue"].ref(), **more})


def _bucket(queue: str) -> Change:
    def change(stack: Stack) -> None:
        values = {"bucket": "uploads", "queue": [{"queue_arn": stack[queue].ref(), "events": ["s3:*"]}]}
        stack["bucket"] = Res("aws_s3_bucket_notification", "uploads", values)

    return change


def _managed_role(stack: Stack) -> None:
    stack["consumer_policy"].values["policy"].statements.clear()
    arn = "arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole"
    stack["consumer_attachment"] = Res(
        "aws_iam_role_policy_attachment",
        "consumer",
        {"role": stack["consumer_role"].ref("name"), "policy_arn": arn},
    )


def _own_key(stack: Stack) -> None:
    stack["queue"].values |= {"sqs_managed_sse_enabled": None, "kms_master_key_id": stack["key"].ref("arn")}


def _composite_without_actions(stack: Stack) -> None:
    stack["composite"].values["alarm_actions"] = []


def _topic_policy(service: str) -> Change:
    def change(stack: Stack) -> None:
        publish = {
            "Sid": "Publish",
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": "sns:Publish",
            "Resource": stack["topic"].ref(),
            "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT}},
        }
        values = {"arn": stack["topic"].ref(), "policy": Policy([publish])}
        stack["topic_policy"] = Res("aws_sns_topic_policy", "alerts", values)

    return change


def _grandparent(stack: Stack) -> None:
    name = stack["composite"].values["alarm_name"]
    values = {"alarm_name": f"{name}-all", "alarm_rule": f"ALARM({name})", "alarm_actions": []}
    stack["grandparent"] = Res("aws_cloudwatch_composite_alarm", "all", values)
    _composite_without_actions(stack)


def _suppressor(stack: Stack) -> None:
    stack["age_alarm"].values["alarm_actions"] = []
    suppressor = {"alarm": stack["age_alarm"].ref(), "wait_period": 60, "extension_period": 60}
    stack["composite"].values["actions_suppressor"] = [suppressor]


def _queries(name: str, *metrics: str, expression: str) -> Change:
    """Have an alarm watch an expression over metrics of what it watched."""

    def change(stack: Stack) -> None:
        values = stack[name].values
        metric = {n: values.pop(n) for n in ("namespace", "metric_name", "dimensions", "period")}
        stat = values.pop("statistic")
        values["metric_query"] = [
            {"id": "value", "expression": expression, "return_data": True},
            *(
                {"id": f"m{place}", "metric": [{**metric, "metric_name": one, "stat": stat}]}
                for place, one in enumerate(metrics)
            ),
        ]

    return change


DLQ_SUM = _queries(
    "dlq_alarm",
    "ApproximateNumberOfMessagesVisible",
    "ApproximateNumberOfMessagesNotVisible",
    expression="m0+m1",
)

EVERYONE = {"Sid": "Open", "Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": "*"}
SEND = {"Sid": "Send", "Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "*"}

BROKEN = (
    Case("FO101", "queue", without("redrive")),
    Case("FO102", "redrive", put("dlq", message_retention_seconds=345600), "345600"),
    Case("FO102", "redrive", put("queue", message_retention_seconds=1209600), "less than that"),
    Case("FO102", "intake", put("failures", message_retention_seconds=345600)),
    Case("FO103", "redrive", put("dlq", fifo_queue=False, name="charge-dlq"), "FIFO"),
    Case("FO104", "redrive", redrive(maxReceiveCount=1), "is 1;"),
    Case("FO104", "redrive", redrive(maxReceiveCount=2), "is 2;"),
    Case("FO104", "redrive", redrive(maxReceiveCount=1001), "1001"),
    Case("FO105", "redrive", redrive(maxReceiveCount="5"), '"5"'),
    Case("FO105", "redrive", redrive(deadLetterTargetArn=None), "deadLetterTargetArn"),
    Case("FO105", "redrive", put("redrive", redrive_policy="charges-dlq"), "JSON object"),
    Case("FO106", "dlq", without("redrive_allow"), "no redrive allow policy"),
    Case("FO106", "dlq", allow_policy(Json({"redrivePermission": "allowAll"})), "allowAll"),
    Case(
        "FO106", "dlq", allow_policy(Json({"redrivePermission": "allowAll", "sourceQueueArns": None})), "null"
    ),
    Case(
        "FO106", "dlq", allow_policy(Json({"redrivePermission": "byQueue", "sourceQueueArns": []})), "0 ARNs"
    ),
    Case(
        "FO106",
        "dlq",
        allow_policy(
            Json(
                {
                    "redrivePermission": "byQueue",
                    "sourceQueueArns": [f"arn:aws:sqs:::q{n}" for n in range(11)],
                }
            )
        ),
        "11 ARNs",
    ),
    Case("FO106", "dlq", allow_policy("byQueue"), "JSON object"),
    Case("FO107", "queue", put("queue", receive_wait_time_seconds=0), "is 0"),
    Case("FO107", "queue", drop("queue", "receive_wait_time_seconds"), "write 20"),
    Case("FO108", "queue", drop("queue", "sqs_managed_sse_enabled")),
    Case("FO108", "queue", put("queue", sqs_managed_sse_enabled=False), "not true"),
    Case("FO108", "intake", put("intake", kms_master_key_id=None), "kms_master_key_id"),
    Case("FO108", "intake", put("intake", kms_master_key_id=""), "no kms_master_key_id"),
    Case("FO109", "queue", put("queue", content_based_deduplication=True)),
    Case("FO110", "queue", put("queue", deduplication_scope="queue"), "perMessageGroupId"),
    Case("FO110", "queue", put("queue", fifo_throughput_limit="perQueue"), "messageGroup"),
    Case("FO111", "dlq", put("dlq", name="charge.fifo-dlq.fifo"), "before its end"),
    Case("FO111", "failures", put("failures", name="failures.fifo"), "false"),
    Case("FO111", "queue", put("queue", name="q" * 76 + ".fifo"), "81"),
    Case("FO112", "queue", put("queue", message_retention_seconds=86400), "86400"),
    Case("FO113", "queue", _second_policy, "is written by"),
    Case(
        "FO113",
        "queue",
        _inline_policy,
        "policy",
    ),
    Case("FO201", "queue", without("queue_policy"), "no policy"),
    Case("FO201", "queue", statement("queue_policy", "policy", 0, Effect="Allow"), "denies nothing"),
    Case(
        "FO201",
        "queue",
        statement("queue_policy", "policy", 0, Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:role/x"}),
        "plain HTTP",
    ),
    Case(
        "FO202",
        "intake_policy",
        statement("intake_policy", "policy", 1, Condition={}),
        "events.amazonaws.com",
    ),
    Case(
        "FO202",
        "intake_policy",
        statement(
            "intake_policy", "policy", 2, Condition={"ArnLikeIfExists": {"aws:SourceArn": "arn:aws:sns:x"}}
        ),
        "sns.amazonaws.com",
    ),
    Case(
        "FO202",
        "schedule_role",
        statement("schedule_role", "assume_role_policy", 0, Condition={}),
        "scheduler",
    ),
    Case("FO202", "key", statement("key", "policy", 1, Condition={}), "cloudwatch"),
    Case("FO203", "queue_policy", more("queue_policy", "policy", **EVERYONE), "Open"),
    Case(
        "FO203",
        "queue_policy",
        more("queue_policy", "policy", **{**EVERYONE, "Principal": {"AWS": ["*"]}}),
        "name principals",
    ),
    Case(
        "FO203",
        "consumer_role",
        statement("consumer_role", "assume_role_policy", 0, Principal={"AWS": "*"}),
        "statement 1",
    ),
    Case(
        "FO204", "consumer_policy", more("consumer_policy", "policy", **{**SEND, "Action": "*"}), "allows *"
    ),
    Case(
        "FO204",
        "consumer_policy",
        more("consumer_policy", "policy", **{**SEND, "Action": ["*"]}),
        "Send allows *",
    ),
    Case(
        "FO204", "queue_policy", more("queue_policy", "policy", **{**EVERYONE, "Action": ["sqs:*"]}), "sqs:*"
    ),
    Case(
        "FO205",
        "consumer_policy",
        more("consumer_policy", "policy", Effect="Allow", NotAction="iam:*", Resource="*"),
    ),
    Case(
        "FO205",
        "consumer_policy",
        more(
            "consumer_policy",
            "policy",
            Effect="Allow",
            Action="sqs:SendMessage",
            NotResource="arn:aws:sqs:::x",
        ),
        "NotResource",
    ),
    Case(
        "FO206",
        "schedule_role",
        statement(
            "schedule_role",
            "assume_role_policy",
            0,
            Condition={"StringEqualsIfExists": {"aws:SourceAccount": ACCOUNT}},
        ),
        "ifexists",
    ),
    Case("FO206", "schedule_role", _trust(**{"aws:SourceAccount": "*"}), "matches nothing"),
    Case(
        "FO206",
        "consumer_policy",
        statement(
            "consumer_policy", "policy", 0, Condition={"ForAllValues:StringEquals": {"aws:TagKeys": ["a"]}}
        ),
        "forallvalues",
    ),
    Case(
        "FO206",
        "consumer_policy",
        statement(
            "consumer_policy",
            "policy",
            0,
            Condition={
                "ForAllValues:StringLike": {"dynamodb:LeadingKeys": "halt#*"},
                "Null": {"dynamodb:Attributes": "false", "dynamodb:LeadingKeys": ["false", "true"]},
            },
        ),
        "missing; add Null",
    ),
    Case(
        "FO206",
        "consumer_policy",
        statement(
            "consumer_policy",
            "policy",
            0,
            Condition={"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": "halt#*"}},
        ),
        "one item of several",
    ),
    Case(
        "FO206",
        "consumer_policy",
        statement(
            "consumer_policy",
            "policy",
            0,
            Condition={
                "ForAllValues:StringEqualsIfExists": {"dynamodb:LeadingKeys": "x"},
                "Null": {"dynamodb:LeadingKeys": "false"},
            },
        ),
        "ifexists",
    ),
    Case(
        "FO206",
        "consumer_policy",
        statement("consumer_policy", "policy", 0, Condition={"Null": {"aws:PrincipalOrgID": "true"}}),
        "without the key",
    ),
    Case(
        "FO207",
        "queue_policy",
        lambda s: setattr(s["queue_policy"].values["policy"], "version", None),
        "no Version",
        of="text",
    ),
    Case(
        "FO207",
        "queue_policy",
        lambda s: setattr(s["queue_policy"].values["policy"], "version", "2008-10-17"),
        "2008-10-17",
    ),
    Case("FO207", "consumer_policy", put("consumer_policy", policy="see the wiki"), "not JSON"),
    Case(
        "FO208",
        "queue_policy",
        more("queue_policy", "policy", **{**EVERYONE, "Principal": {"AWS": ACCOUNT}}),
        "bare id",
    ),
    Case(
        "FO208",
        "consumer_policy",
        put("consumer_policy", policy='{\n  "Version": "2012-10-17",\n  "Statement": []\n}'),
        "JSON text",
        of="configuration",
    ),
    Case(
        "FO209",
        "subscription",
        lambda s: s["intake_policy"].values["policy"].statements.pop(2),
        "sns.amazonaws.com",
    ),
    Case(
        "FO209",
        "rule_target",
        lambda s: s["intake_policy"].values["policy"].statements.pop(1),
        "events.amazonaws",
    ),
    Case(
        "FO209",
        "subscription",
        lambda s: s["failures_policy"].values["policy"].statements.pop(2),
        "does not let sns",
        of="reference",
    ),
    Case(
        "FO209",
        "rule_target",
        lambda s: s["failures_policy"].values["policy"].statements.pop(1),
        "does not let events",
        of="reference",
    ),
    Case("FO210", "consumer_policy", more("consumer_policy", "policy", **SEND), 'on "*"'),
    Case(
        "FO212",
        "subscription",
        statement("key", "policy", 2, Principal={"Service": "events.amazonaws.com"}),
        "gives sns.amazonaws.com no kms:Decrypt and no kms:GenerateDataKey",
    ),
    Case(
        "FO212",
        "rule_target",
        statement("key", "policy", 2, Action="kms:Decrypt"),
        "events.amazonaws.com no kms:GenerateDataKey",
    ),
    Case("FO212", "subscription", put("intake", kms_master_key_id="alias/aws/sqs"), "may never use"),
    Case("FO211", "producer_role", _unencrypted_role, "kms:GenerateDataKey", of="reference"),
    Case("FO301", "mapping", put("queue", visibility_timeout_seconds=60), "360 s"),
    Case("FO301", "mapping", put("queue", visibility_timeout_seconds=359), "hides messages for 359 s"),
    Case("FO301", "mapping", put("consumer", timeout=61), "366 s"),
    Case("FO302", "mapping", put("mapping", function_response_types=[])),
    Case("FO302", "mapping", drop("mapping", "function_response_types"), "ReportBatchItemFailures"),
    Case("FO303", "mapping", drop("mapping", "scaling_config"), "neither"),
    Case("FO303", "mapping", put("mapping", scaling_config=[{"maximum_concurrency": 1}]), "is 1;"),
    Case(
        "FO303",
        "mapping",
        put("mapping", provisioned_poller_config=[{"minimum_pollers": 1, "maximum_pollers": 4}]),
        "exclude",
    ),
    Case("FO304", "consumer", _reserved(9), "ask for 10"),
    Case("FO304", "consumer", _reserved(0), "is 0"),
    Case("FO305", "mapping", put("mapping", batch_size=100), "FIFO"),
    Case("FO305", "mapping", put("mapping", maximum_batching_window_in_seconds=5), "no window"),
    Case("FO306", "mapping", lambda s: s["mapping"].depends_on.clear(), "depends_on", of="configuration"),
    Case("FO307", "mapping", put("mapping", filter_criteria=[{"filter": [{"pattern": "{}"}]}])),
    Case("FO308", "mapping", redrive(maxReceiveCount=5), "counts 5"),
    Case("FO309", "mapping", drop("mapping", "metrics_config")),
    Case("FO310", "mapping", put("mapping", region="us-east-2"), "us-east-2"),
    Case("FO311", "queue", _second_mapping, "take messages from each other"),
    Case(
        "FO312",
        "mapping",
        statement("consumer_policy", "policy", 0, Action=["sqs:ReceiveMessage"]),
        "may not sqs:DeleteMessage and not sqs:GetQueueAttributes",
    ),
    Case("FO312", "mapping", _own_key, "may not kms:Decrypt"),
    Case("FO401", "schedule", target(dead_letter_config=[])),
    Case("FO402", "schedule", _fifo_failures, "FIFO", of="reference"),
    Case("FO403", "schedule", _trust(**{"aws:SourceAccount": None}), "aws:SourceAccount"),
    Case("FO403", "schedule", _trust(**{"aws:SourceAccount": "*"}), "12 digits"),
    Case("FO403", "schedule", _trust(**{"aws:SourceArn": None}), "schedule group's ARN"),
    Case(
        "FO403",
        "schedule",
        _trust(**{"aws:SourceArn": f"arn:aws:scheduler:ap-northeast-1:{ACCOUNT}:schedule/charge/charge"}),
        "names no schedule group",
    ),
    Case(
        "FO403",
        "schedule",
        _trust(**{"aws:SourceArn": f"arn:aws:scheduler:ap-northeast-1:{ACCOUNT}:schedule-group/other"}),
        "ARN of that group",
    ),
    Case(
        "FO403",
        "schedule",
        statement("schedule_role", "assume_role_policy", 0, Principal={"Service": "events.amazonaws.com"}),
        "does not trust",
    ),
    Case("FO404", "schedule", drop("schedule", "schedule_expression_timezone"), "not written"),
    Case("FO404", "schedule", put("schedule", schedule_expression_timezone="JST"), "no IANA zone"),
    Case(
        "FO405",
        "schedule",
        put(
            "schedule",
            schedule_expression="cron(30 2 8 3 ? *)",
            schedule_expression_timezone="America/New_York",
        ),
        "02:30",
    ),
    Case("FO406", "schedule", target(input='{"t":"\\u003caws.scheduler.scheduled-time\\u003e"}'), "\\u003c"),
    Case("FO406", "schedule", target(input='{"id":"<aws.scheduler.execution-id>"}'), "execution-id"),
    Case("FO407", "schedule", target(retry_policy=[{"maximum_retry_attempts": 0}])),
    Case(
        "FO408",
        "schedule",
        lambda s: s["schedule_policy"].values["policy"].statements.pop(1),
        "sqs:SendMessage",
        of="reference",
    ),
    Case(
        "FO408",
        "schedule",
        lambda s: s["schedule_policy"].values["policy"].statements.pop(0),
        "InvokeFunction",
        of="reference",
    ),
    Case("FO409", "rule_target", drop("rule_target", "dead_letter_config")),
    Case("FO409", "subscription", drop("subscription", "redrive_policy")),
    Case(
        "FO410",
        "rule_target",
        _fed_by("rule_target", "arn"),
        "without sqs_target[0].message_group_id",
        of="reference",
    ),
    Case("FO410", "rule_target", _fed_by("rule_target", "arn"), "no deduplication id", of="reference"),
    Case("FO410", "subscription", _fed_by("subscription", "endpoint"), "is a standard topic", of="reference"),
    Case("FO410", "bucket", _bucket("queue"), "a bucket cannot notify", of="reference"),
    Case(
        "FO410",
        "schedule",
        lambda s: s["schedule"].values["target"][0].update(arn=s["queue"].ref()),
        "without target[0].sqs_parameters[0].message_group_id",
        of="reference",
    ),
    Case("FO501", "dlq", without("dlq_alarm"), "no alarm"),
    Case("FO501", "failures", without("failures_alarm"), "no alarm watches"),
    Case("FO501", "dlq", put("dlq_alarm", threshold=10), "first message"),
    Case("FO501", "dlq", put("dlq_alarm", comparison_operator="GreaterThanThreshold"), "does not fire"),
    Case("FO501", "dlq", put("dlq_alarm", comparison_operator="LessThanThreshold"), "does not fire"),
    Case(
        "FO502",
        "dlq",
        _queries("dlq_alarm", "NumberOfMessagesSent", expression="m0"),
        "NumberOfMessagesSent",
    ),
    Case("FO502", "dlq", put("dlq_alarm", metric_name="NumberOfMessagesSent")),
    Case("FO503", "queue", without("age_alarm")),
    Case("FO504", "dlq_alarm", drop("dlq_alarm", "treat_missing_data"), "not stated"),
    Case(
        "FO504",
        "dlq_alarm",
        give("dlq_alarm", "insufficient_data_actions", "topic"),
        "mails",
    ),
    Case(
        "FO504",
        "dlq_alarm",
        both(DLQ_SUM, give("dlq_alarm", "insufficient_data_actions", "topic")),
        "mails",
    ),
    Case("FO504", "dlq_alarm", both(DLQ_SUM, drop("dlq_alarm", "treat_missing_data")), "not stated"),
    Case("FO505", "age_alarm", put("age_alarm", alarm_actions=[]), "alarm_actions is empty"),
    Case("FO505", "age_alarm", put("age_alarm", actions_enabled=False), "actions_enabled"),
    Case("FO505", "composite", _composite_without_actions, "alarm_actions is empty"),
    Case("FO505", "grandparent", _grandparent, "alarm_actions is empty"),
    Case("FO506", "dlq_alarm", put("topic", kms_master_key_id="alias/aws/sns"), "alias/aws/sns"),
    Case("FO506", "dlq_alarm", lambda s: s["key"].values["policy"].statements.pop(1), "kms:Decrypt"),
    Case("FO506", "composite", statement("key", "policy", 1, Action="kms:Decrypt"), "kms:GenerateDataKey"),
    Case("FO507", "dlq_alarm", put("dlq_alarm", dimensions={}), "without the dimension"),
    Case("FO507", "dlq_alarm", _plain_name, "write the queue's name as it is"),
    Case(
        "FO507",
        "dlq_alarm",
        both(_plain_name, DLQ_SUM),
        "write the queue's name as it is",
    ),
    Case(
        "FO507",
        "schedule_alarm",
        put(
            "schedule_alarm",
            namespace="AWS/DynamoDB",
            metric_name="TransactionConflict",
            dimensions={"TableName": "jobs", "Operation": "TransactWriteItems"},
        ),
        "is published with TableName, not",
    ),
    Case("FO508", "dlq_alarm", both(put("dlq_alarm", period=300, evaluation_periods=289), DLQ_SUM), "86700"),
    Case(
        "FO508",
        "dlq_alarm",
        both(
            DLQ_SUM,
            lambda s: s["dlq_alarm"].values["metric_query"][0].update(period=3600),
            put("dlq_alarm", evaluation_periods=169),
        ),
        "608400",
    ),
    Case("FO508", "dlq_alarm", put("dlq_alarm", period=86400, evaluation_periods=31), "604800"),
    Case("FO508", "dlq_alarm", put("dlq_alarm", period=300, evaluation_periods=289), "86400"),
    Case("FO509", "group", without("schedule_alarm")),
    Case(
        "FO510",
        "dlq_alarm",
        _topic_policy("events.amazonaws.com"),
        "does not let cloudwatch.amazonaws.com publish",
    ),
    Case("FO510", "composite", _topic_policy("events.amazonaws.com"), "add an Allow of sns:Publish"),
    Case("FO601", "schedule", without("invoke_config"), "no on-failure destination"),
    Case("FO602", "invoke_config", _invoke_to("dlq"), of="reference"),
    Case("FO603", "consumer", without("consumer_log"), "/aws/lambda/consumer"),
    Case("FO603", "consumer", put("consumer_log", retention_in_days=0), "retention_in_days"),
    Case("FO604", "consumer", _log_event("true")),
    Case("FO605", "permission", drop("permission", "source_arn", "source_account"), "s3.amazonaws.com"),
    Case("FO701", "queue", leaves("queue"), "it is deleted"),
    Case("FO701", "dlq", leaves("dlq", "delete", "create"), "it is replaced"),
    Case("FO701", "key", leaves("key", "create", "delete"), "never be read again"),
    Case("FO701", "topic", leaves("topic"), "subscriptions"),
    Case("FO701", "consumer_log", leaves("consumer_log"), "log lines"),
    Case(
        "FO702",
        "dlq_alarm",
        both(
            put("dlq_alarm", alarm_description="Dead letters.\n\nseverity: critical\nrunbook: x"),
            leaves("dlq_alarm"),
        ),
        "deleted",
    ),
    Case(
        "FO702", "age_alarm", both(put("topic", name="fanout-prod-critical"), leaves("age_alarm")), "deleted"
    ),
    Case(
        "FO702",
        "age_alarm",
        both(put("age_alarm", tags={"Severity": "Critical"}), leaves("age_alarm", "create", "delete")),
        "replaced",
    ),
    Case(
        "FO702",
        "dlq_alarm",
        both(
            put("composite", tags={"severity": "critical"}),
            put("dlq_alarm", alarm_actions=[]),
            leaves("dlq_alarm"),
        ),
        "critical",
    ),
    Case("FO703", "mapping", leaves("mapping"), "no other one reads"),
    Case("FO703", "schedule", leaves("schedule"), "no other one invokes"),
    Case("FO704", "mapping", put("mapping", enabled=False, tags_all={"environment": "prod"}), "enabled"),
    Case(
        "FO704",
        "schedule",
        both(put("consumer", tags={"Env": "live"}), put("schedule", state="DISABLED")),
        "state",
    ),
    Case("FO704", "schedule", put("schedule", name="fanout-prod-charge", state="DISABLED"), "production"),
    Case(
        "FO704", "audit", both(put("consumer", tags={"env": "dev"}), _audit("DISABLED")), "still dispatches"
    ),
)

# Changes after which the rule has nothing to say: where a simpler rule would.
KEPT = (
    Case(
        "FO106",
        "failures",
        put(
            "failures",
            redrive_allow_policy=Json(
                {
                    "redrivePermission": "byQueue",
                    "sourceQueueArns": [f"arn:aws:sqs:ap-northeast-1:{ACCOUNT}:intake"],
                }
            ),
        ),
    ),
    Case("FO108", "intake", put("intake", kms_master_key_id="alias/aws/sqs")),
    Case(
        "FO202",
        "key",
        statement(
            "key",
            "policy",
            1,
            Condition={"ArnLike": {"kms:EncryptionContext:aws:logs:arn": "arn:aws:logs:*"}},
        ),
    ),
    Case(
        "FO203",
        "queue_policy",
        more("queue_policy", "policy", **EVERYONE, Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}}),
    ),
    Case("FO204", "key", put("key", description="kms:* for the account itself")),
    Case(
        "FO206",
        "consumer_policy",
        statement(
            "consumer_policy",
            "policy",
            0,
            Condition={
                "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["run#charge"]},
                "Null": {"dynamodb:leadingKeys": "false"},
            },
        ),
    ),
    Case(
        "FO206",
        "consumer_policy",
        more(
            "consumer_policy",
            "policy",
            **{**SEND, "Effect": "Deny"},
            Condition={"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": ["run#*"]}},
        ),
    ),
    Case(
        "FO210",
        "consumer_policy",
        more("consumer_policy", "policy", **{**SEND, "Action": "xray:PutTraceSegments"}),
    ),
    Case(
        "FO210",
        "consumer_policy",
        more("consumer_policy", "policy", **{**SEND, "Action": ["kms:CreateKey", "kms:GenerateRandom"]}),
    ),
    Case(
        "FO210",
        "consumer_policy",
        more(
            "consumer_policy",
            "policy",
            **{**SEND, "Action": "lambda:DeleteEventSourceMapping"},
            Condition={"ArnLike": {"lambda:FunctionArn": "arn:aws:lambda:*"}},
        ),
    ),
    Case(
        "FO212",
        "rule_target",
        both(
            statement("key", "policy", 2, Action="kms:Decrypt"), put("intake", sqs_managed_sse_enabled=True)
        ),
    ),
    Case("FO212", "subscription", put("intake", kms_master_key_id=None)),
    Case("FO301", "mapping", put("queue", visibility_timeout_seconds=361)),
    Case(
        "FO302",
        "mapping",
        put(
            "mapping",
            starting_position="LATEST",
            event_source_arn="arn:aws:kinesis:ap-northeast-1:111122223333:stream/s",
            function_response_types=[],
        ),
    ),
    Case(
        "FO303",
        "mapping",
        both(
            drop("mapping", "scaling_config"),
            put("mapping", provisioned_poller_config=[{"maximum_pollers": 4}]),
        ),
    ),
    Case("FO304", "consumer", _reserved(10)),
    Case("FO305", "mapping", put("mapping", batch_size=1)),
    Case("FO312", "mapping", _managed_role),
    Case(
        "FO312",
        "mapping",
        both(
            _own_key,
            lambda s: (
                s["consumer_policy"]
                .values["policy"]
                .statements.append({"Effect": "Allow", "Action": "kms:Decrypt", "Resource": s["key"].ref()})
            ),
        ),
    ),
    Case(
        "FO403",
        "schedule",
        _trust(**{"aws:SourceArn": f"arn:aws:scheduler:ap-northeast-1:{ACCOUNT}:schedule-group/*"}),
    ),
    Case("FO404", "schedule", put("schedule", schedule_expression_timezone="UTC")),
    Case(
        "FO404",
        "schedule",
        both(
            put("schedule", schedule_expression="rate(1 hour)"),
            drop("schedule", "schedule_expression_timezone"),
        ),
    ),
    Case("FO405", "schedule", put("schedule", schedule_expression="cron(30 2 8 3 ? *)")),
    Case(
        "FO410",
        "rule_target",
        both(
            _fed_by("rule_target", "arn", sqs_target=[{"message_group_id": "orders"}]),
            put("queue", content_based_deduplication=True),
        ),
    ),
    Case(
        "FO410",
        "subscription",
        both(_fed_by("subscription", "endpoint"), put("events_topic", name="events.fifo", fifo_topic=True)),
    ),
    Case("FO410", "bucket", _bucket("intake")),
    Case("FO501", "dlq", put("dlq_alarm", comparison_operator="GreaterThanThreshold", threshold=0)),
    Case("FO501", "dlq", DLQ_SUM),
    Case("FO504", "dlq_alarm", put("dlq_alarm", treat_missing_data="missing")),
    Case(
        "FO504",
        "dlq_alarm",
        both(put("dlq_alarm", namespace="AWS/DynamoDB"), drop("dlq_alarm", "treat_missing_data")),
    ),
    Case("FO505", "dlq_alarm", put("dlq_alarm", alarm_actions=[])),
    Case("FO505", "dlq_alarm", put("dlq_alarm", actions_enabled=False)),
    Case("FO505", "age_alarm", _suppressor),
    Case(
        "FO505",
        "age_alarm",
        both(
            put("age_alarm", alarm_actions=[]),
            put("composite", alarm_rule=f"ALARM(arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:age_alarm)"),
        ),
    ),
    Case("FO505", "composite", both(_grandparent, give("grandparent", "alarm_actions", "topic"))),
    Case("FO506", "dlq_alarm", put("topic", kms_master_key_id=None)),
    Case("FO508", "dlq_alarm", put("dlq_alarm", period=3600, evaluation_periods=168)),
    Case("FO510", "dlq_alarm", _topic_policy("cloudwatch.amazonaws.com")),
    Case(
        "FO601",
        "schedule",
        both(
            without("invoke_config"),
            put(
                "dispatcher",
                dead_letter_config=[{"target_arn": "arn:aws:sqs:ap-northeast-1:111122223333:failures"}],
            ),
        ),
    ),
    Case("FO604", "consumer", _log_event("false")),
    Case("FO701", "queue", leaves("queue", "update")),
    Case("FO701", "queue", leaves("queue", "no-op")),
    Case("FO701", "queue", leaves("queue", "forget")),
    Case("FO702", "age_alarm", both(put("topic", name="fanout-prod-warning"), leaves("age_alarm"))),
    Case("FO702", "age_alarm", both(put("age_alarm", alarm_actions=[]), leaves("age_alarm"))),
    Case("FO703", "mapping", leaves("mapping", "delete", "create")),
    Case("FO703", "mapping", both(leaves("mapping"), leaves("queue"))),
    Case("FO703", "mapping", both(_second_mapping, leaves("mapping"), leaves("second_mapping", "no-op"))),
    Case("FO703", "schedule", both(leaves("schedule"), leaves("dispatcher"))),
    Case(
        "FO704",
        "schedule",
        both(put("consumer", tags={"environment": "dev"}), put("schedule", state="DISABLED")),
    ),
    Case(
        "FO704",
        "audit",
        both(
            put("consumer", tags={"environment": "dev"}),
            _audit("DISABLED"),
            put("schedule", state="DISABLED"),
        ),
    ),
)

HIDDEN = (
    Case("FO101", "queue", both(without("redrive_allow"), hide("redrive", "queue_url"))),
    Case("FO102", "redrive", hide("dlq", "message_retention_seconds")),
    Case("FO102", "redrive", hide("redrive", "redrive_policy")),
    Case("FO103", "redrive", both(hide("dlq", "fifo_queue"), hide("dlq", "name"))),
    Case("FO104", "redrive", hide("redrive", "redrive_policy")),
    Case("FO105", "redrive", hide("redrive", "redrive_policy")),
    Case("FO106", "dlq", hide("redrive_allow", "redrive_allow_policy")),
    Case("FO106", "dlq", hide("redrive_allow", "queue_url")),
    Case("FO107", "queue", hide("queue", "receive_wait_time_seconds")),
    Case("FO108", "queue", hide("queue", "sqs_managed_sse_enabled")),
    Case("FO108", "intake", hide("intake", "kms_master_key_id")),
    Case("FO109", "queue", hide("queue", "content_based_deduplication")),
    Case("FO110", "queue", hide("queue", "deduplication_scope")),
    Case("FO111", "queue", hide("queue", "name")),
    Case("FO112", "queue", hide("queue", "message_retention_seconds")),
    Case("FO113", "queue", hide("dlq_policy", "queue_url")),
    Case("FO201", "queue", hide("queue_policy", "policy")),
    Case("FO201", "queue", hide("queue_policy", "queue_url")),
    Case("FO202", "intake_policy", hide("intake_policy", "policy")),
    Case("FO202", "intake_policy", statement("intake_policy", "policy", 1, Condition=Opaque())),
    Case("FO203", "intake_policy", hide("intake_policy", "policy")),
    Case("FO204", "consumer_policy", hide("consumer_policy", "policy")),
    Case("FO204", "consumer_policy", statement("consumer_policy", "policy", 0, Action=[Opaque()])),
    Case("FO205", "consumer_policy", hide("consumer_policy", "policy")),
    Case("FO206", "schedule_role", hide("schedule_role", "assume_role_policy")),
    Case("FO207", "queue_policy", hide("queue_policy", "policy")),
    Case("FO208", "queue_policy", hide("queue_policy", "policy")),
    Case("FO209", "subscription", hide("intake_policy", "policy")),
    Case("FO209", "subscription", hide("subscription", "endpoint")),
    Case("FO210", "consumer_policy", hide("consumer_policy", "policy")),
    Case("FO211", "producer_role", both(_unencrypted_role, hide("intake", "kms_master_key_id"))),
    Case("FO212", "subscription", hide("key", "policy")),
    Case("FO212", "rule_target", hide("intake", "kms_master_key_id")),
    Case("FO301", "mapping", hide("queue", "visibility_timeout_seconds")),
    Case("FO301", "mapping", hide("consumer", "timeout")),
    Case("FO301", "mapping", hide("mapping", "function_name")),
    Case("FO301", "mapping", hide("mapping", "event_source_arn")),
    Case("FO302", "mapping", hide("mapping", "function_response_types")),
    Case("FO303", "mapping", hide("mapping", "scaling_config")),
    Case("FO304", "consumer", hide("consumer", "reserved_concurrent_executions")),
    Case("FO305", "mapping", hide("mapping", "batch_size")),
    Case("FO306", "mapping", hide("mapping", "function_name")),
    Case("FO307", "mapping", hide("mapping", "filter_criteria")),
    Case("FO308", "mapping", hide("redrive", "redrive_policy")),
    Case("FO309", "mapping", hide("mapping", "metrics_config", 0, "metrics")),
    Case("FO310", "mapping", hide("mapping", "region")),
    Case("FO311", "queue", hide("mapping", "event_source_arn")),
    Case("FO312", "mapping", hide("consumer_policy", "policy")),
    Case("FO312", "mapping", both(_own_key, hide("queue", "kms_master_key_id"))),
    Case("FO401", "schedule", hide("schedule", "target")),
    Case("FO402", "schedule", hide("schedule", "target", 0, "dead_letter_config", 0, "arn")),
    Case("FO403", "schedule", hide("schedule", "target", 0, "role_arn")),
    Case("FO403", "schedule", hide("schedule_role", "assume_role_policy")),
    Case("FO404", "schedule", hide("schedule", "schedule_expression_timezone")),
    Case("FO405", "schedule", hide("schedule", "schedule_expression")),
    Case("FO406", "schedule", hide("schedule", "target", 0, "input")),
    Case("FO407", "schedule", hide("schedule", "target", 0, "retry_policy", 0, "maximum_retry_attempts")),
    Case("FO408", "schedule", hide("schedule_policy", "policy")),
    Case("FO409", "rule_target", hide("rule_target", "dead_letter_config")),
    Case("FO410", "rule_target", hide("rule_target", "arn")),
    Case(
        "FO410",
        "rule_target",
        both(_fed_by("rule_target", "arn"), hide("queue", "fifo_queue"), hide("queue", "name")),
    ),
    Case("FO501", "dlq", hide("dlq_alarm", "dimensions")),
    Case("FO501", "dlq", hide("dlq_alarm", "threshold")),
    Case(
        "FO502",
        "dlq",
        both(put("age_alarm", metric_name="NumberOfMessagesSent"), hide("age_alarm", "dimensions")),
    ),
    Case("FO503", "queue", hide("age_alarm", "dimensions")),
    Case("FO504", "dlq_alarm", hide("dlq_alarm", "treat_missing_data")),
    Case(
        "FO505",
        "age_alarm",
        both(put("age_alarm", alarm_actions=[]), hide("composite", "alarm_rule")),
    ),
    Case(
        "FO505",
        "age_alarm",
        both(_suppressor, lambda s: s["composite"].hide("actions_suppressor", 0, "alarm")),
    ),
    Case("FO506", "dlq_alarm", hide("key", "policy")),
    Case("FO506", "dlq_alarm", hide("topic", "kms_master_key_id")),
    Case("FO506", "dlq_alarm", hide("dlq_alarm", "alarm_actions")),
    Case("FO507", "dlq_alarm", hide("dlq_alarm", "dimensions")),
    Case("FO508", "dlq_alarm", hide("dlq_alarm", "period")),
    Case("FO509", "group", hide("schedule_alarm", "dimensions")),
    Case(
        "FO510", "dlq_alarm", both(_topic_policy("cloudwatch.amazonaws.com"), hide("topic_policy", "policy"))
    ),
    Case("FO510", "dlq_alarm", hide("dlq_alarm", "alarm_actions")),
    Case("FO601", "schedule", hide("invoke_config", "function_name")),
    Case(
        "FO602",
        "invoke_config",
        hide("invoke_config", "destination_config", 0, "on_failure", 0, "destination"),
    ),
    Case("FO603", "consumer", hide("consumer_log", "name")),
    Case("FO604", "consumer", hide("consumer", "environment")),
    Case("FO605", "permission", hide("permission", "principal")),
    Case("FO702", "dlq_alarm", leaves("dlq_alarm")),
    Case("FO703", "mapping", _other_source),
    Case("FO704", "mapping", hide("mapping", "enabled")),
    Case("FO704", "schedule", put("schedule", state="DISABLED")),
)
