"""Rules about functions that read queues."""

from __future__ import annotations

import json
from collections.abc import Iterator

from policies.plan import UNKNOWN, Arn, Plan, Resource, Undecided
from policies.rules import links
from policies.rules.rule import Open, Severity, rule
from policies.topology.consumption import (
    FUNCTION,
    MAPPING,
    consumption,
    function_of,
    is_fifo,
    queue_of,
    reads_queue,
)
from policies.topology.failures import QUEUE, failures
from policies.topology.permissions import ROLE, customer_key, grants_on, may_use_key, policies_of_role

VISIBILITY_FACTOR = 6
VISIBILITY_CEILING = 43_200
MINIMUM_CONCURRENCY = 2  # the quota of 1,000 at most is one that AWS raises


@rule(
    "FO301",
    Severity.HIGH,
    title="A queue hides messages for six times the timeout of the function that reads it",
    why="A message that becomes visible while it is still being worked on is worked on twice. AWS says"
    " six times the"
    " function's timeout, plus the batching window; below the timeout itself Lambda refuses the mapping.",
    fix="""
resource "aws_sqs_queue" "this" {
  visibility_timeout_seconds = 6 * aws_lambda_function.consumer.timeout
}
""",
    link=links.LAMBDA_SQS,
    subjects=(MAPPING,),
)
def visibility_covers_the_function(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    queue = queue_of(mapping, plan)
    if queue is None:
        return
    function = function_of(mapping, plan)
    if function is None:
        raise Undecided("function_name names no function")
    timeout = function.values.number("timeout", 3) or 0
    window = mapping.values.number("maximum_batching_window_in_seconds", 0) or 0
    hidden = queue.values.number("visibility_timeout_seconds", 30) or 0
    least = VISIBILITY_FACTOR * timeout + window
    if least > VISIBILITY_CEILING:
        yield (
            f"{function} may run for {timeout:.15g} s; six times that is past the {VISIBILITY_CEILING} s that"
            " SQS hides a"
            " message for at most. Shorten the timeout, or split the work"
        )
    elif hidden < least:
        plus = f" plus the window of {window:.15g} s" if window else ""
        yield (
            f"{queue} hides messages for {hidden:.15g} s and {function} may run for {timeout:.15g} s;"
            f" {least:.15g}"
            " s (six times"
            f" that{plus}) are the least. Write visibility_timeout_seconds = {least:.15g}"
        )


@rule(
    "FO302",
    Severity.HIGH,
    title="A mapping of a queue reports the failures of single messages",
    why="Without ReportBatchItemFailures one failed message brings the whole batch back, what has taken"
    " effect included;"
    " the list that the handler returns is ignored.",
    fix="""
resource "aws_lambda_event_source_mapping" "this" {
  function_response_types = ["ReportBatchItemFailures"]
}
""",
    link=links.LAMBDA_SQS_ERRORS,
    subjects=(MAPPING,),
)
def failures_are_reported_by_message(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    if reads_queue(mapping, plan) and "ReportBatchItemFailures" not in mapping.values.texts(
        "function_response_types"
    ):
        yield 'function_response_types lacks "ReportBatchItemFailures"; write it'


@rule(
    "FO303",
    Severity.MEDIUM,
    title="A mapping of a queue limits its own concurrency",
    why="Without a limit of the mapping the poller hands on more batches than the function may run; the"
    " throttled ones use"
    " up receives and end in the dead-letter queue unprocessed.",
    fix="""
resource "aws_lambda_event_source_mapping" "this" {
  scaling_config {
    maximum_concurrency = 10
  }
}
""",
    link=links.LAMBDA_SQS_SCALING,
    subjects=(MAPPING,),
)
def concurrency_is_limited(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    if not reads_queue(mapping, plan):
        return
    scaling = mapping.values.block("scaling_config")
    maximum = scaling.number("maximum_concurrency") if scaling else None
    pollers = mapping.values.block("provisioned_poller_config")
    if maximum is not None and pollers is not None:
        yield "scaling_config and provisioned_poller_config exclude each other; keep one"
    elif maximum is None and pollers is None:
        yield (
            "it has neither scaling_config nor provisioned_poller_config; write scaling_config {"
            " maximum_concurrency = 10 }"
        )
    elif maximum is not None and maximum < MINIMUM_CONCURRENCY:
        yield f"maximum_concurrency is {maximum:.15g}; Lambda allows {MINIMUM_CONCURRENCY} or more"


@rule(
    "FO304",
    Severity.HIGH,
    title="A function may run as often as its mappings ask for",
    why="Reserved concurrency below the sum of the mappings' maximum concurrency throttles the consumer,"
    " and a throttled"
    " receive counts against maxReceiveCount. Zero stops the consumer for good.",
    fix="""
resource "aws_lambda_function" "consumer" {
  reserved_concurrent_executions = 10 # not below maximum_concurrency; or leave it out
}
""",
    link=links.LAMBDA_SQS_SCALING,
    subjects=(FUNCTION,),
)
def reserved_concurrency_suffices(function: Resource, plan: Plan) -> Iterator[str | Open]:
    mappings = plan.attached(MAPPING, "function_name", FUNCTION).of(function)
    reading = [mapping for mapping in mappings if reads_queue(mapping, plan)]
    if not reading:
        return
    reserved = function.values.number("reserved_concurrent_executions", -1)
    if reserved is None or reserved < 0:
        return
    if reserved == 0:
        yield (
            f"reserved_concurrent_executions is 0 and {reading[0]} reads for it; leave it out, and set"
            " maximum_concurrency"
        )
        return
    wanted = 0.0
    for mapping in reading:
        scaling = mapping.values.block("scaling_config")
        wanted += (scaling.number("maximum_concurrency", 0) or 0) if scaling else 0
    if wanted > reserved:
        yield (
            f"reserved_concurrent_executions is {reserved:.15g} and its mappings ask for {wanted:.15g}; raise"
            " the first or lower"
            " maximum_concurrency"
        )


@rule(
    "FO305",
    Severity.HIGH,
    title="Batch size and window fit the kind of queue",
    why="A FIFO mapping takes at most 10 messages and no window; on a standard queue more than 10 need a"
    " window of a second."
    " Terraform shows neither before the apply.",
    fix="""
resource "aws_lambda_event_source_mapping" "this" {
  batch_size                         = 10
  maximum_batching_window_in_seconds = null # FIFO has none
}
""",
    link=links.LAMBDA_SQS_PARAMETERS,
    subjects=(MAPPING,),
)
def batch_fits_the_queue(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    if not reads_queue(mapping, plan):
        return
    size = mapping.values.number("batch_size", 10) or 10
    window = mapping.values.number("maximum_batching_window_in_seconds", 0) or 0
    if size <= 10 and not window:
        return  # right for either kind
    if is_fifo(mapping, plan):
        if size > 10:
            yield f"batch_size is {size:.15g} on a FIFO queue; 1 to 10 are allowed"
        if window:
            yield (
                f"maximum_batching_window_in_seconds is {window:.15g} on a FIFO queue, which has no window;"
                " leave it out"
            )
    elif size > 10_000:
        yield f"batch_size is {size:.15g}; 1 to 10000 are allowed on a standard queue"
    elif size > 10 and window < 1:
        yield (
            f"batch_size is {size:.15g} without a window; write maximum_batching_window_in_seconds = 1, or"
            " 10 and less"
        )


@rule(
    "FO306",
    Severity.MEDIUM,
    title="A mapping is made after its role's rights",
    why="Lambda checks the role's rights on the queue when the mapping is made: made side by side with"
    " the policy, the first"
    " apply fails and the second works.",
    fix="""
resource "aws_lambda_event_source_mapping" "this" {
  depends_on = [aws_iam_role_policy.consumer]
}
""",
    link=links.PROVIDER_MAPPING,
    subjects=(MAPPING,),
)
def mapping_waits_for_rights(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    if not reads_queue(mapping, plan):
        return
    function = function_of(mapping, plan)
    role = plan.one(function, "role", kinds=(ROLE,)) if function else None
    if role is None:
        return
    policies = [
        policy
        for kind in ("aws_iam_role_policy", "aws_iam_role_policy_attachment")
        for policy in plan.attached(kind, "role", ROLE).of(role)
    ]
    if not policies:
        return
    reached, lost = _waits_for(mapping, plan)
    if any(policy.address in reached for policy in policies):
        return
    if lost:
        raise Undecided("what the mapping waits for is not in the plan's configuration")
    yield f"it does not wait for {policies[0]}; add depends_on = [{policies[0].label}]"


def _waits_for(resource: Resource, plan: Plan) -> tuple[set[str], bool]:
    """Addresses that a resource waits for, directly or through others, and whether none of it can be told."""
    trail = plan.references.dependencies(resource)
    if trail.lost and not trail.found:
        return set(), True
    pending, reached = list(trail.found.values()), set(trail.found)
    while pending:
        for found in plan.references.dependencies(pending.pop()).found.values():
            if found.address not in reached:
                reached.add(found.address)
                pending.append(found)
    return reached, False


@rule(
    "FO307",
    Severity.HIGH,
    title="A mapping of a queue filters nothing out",
    why="What does not match a filter is deleted from the queue, unseen: a new message version, a"
    " mistyped field, gone.",
    fix="""
# No filter_criteria: read what comes, and reject it in the handler with a reason.
""",
    link=links.LAMBDA_FILTER,
    subjects=(MAPPING,),
)
def nothing_is_filtered_out(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    if not reads_queue(mapping, plan):
        return
    for criteria in mapping.values.blocks("filter_criteria"):
        if criteria.blocks("filter"):
            yield "filter_criteria deletes what does not match; drop it and validate in the handler"


@rule(
    "FO308",
    Severity.HIGH,
    title="The backstop is above the consumer's own count of attempts",
    why="A consumer that counts real attempts (MAX_ATTEMPTS) and quarantines with a reason never gets"
    " there when"
    " maxReceiveCount moves the message first, without one.",
    fix="""
redrive_policy = jsonencode({
  deadLetterTargetArn = aws_sqs_queue.dead_letter.arn
  maxReceiveCount     = 200 # far above MAX_ATTEMPTS = 5
})
""",
    link=links.SQS_DLQ,
    subjects=(MAPPING,),
)
def backstop_is_above_attempts(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    queue = queue_of(mapping, plan)
    function = function_of(mapping, plan) if queue else None
    environment = function.values.block("environment") if function else None
    if queue is None or environment is None or environment.raw("variables") is None:
        return
    attempts = environment.mapping("variables").text("MAX_ATTEMPTS")
    if attempts is None or not attempts.isdecimal():
        return
    for redrive in plan.view(failures).redrives(queue):
        if redrive.maximum is UNKNOWN:
            yield Open("maxReceiveCount is inside a redrive policy that is known after the apply only")
        elif isinstance(redrive.maximum, int | float) and redrive.maximum <= int(attempts):
            yield (
                f"maxReceiveCount of {queue} is {redrive.maximum:.15g} and {function} counts {attempts}"
                " attempts; write more"
                f" than {attempts}"
            )


@rule(
    "FO309",
    Severity.MEDIUM,
    title="A mapping of a queue has metrics of its own",
    why="A partial failure is a successful invocation: Errors stays at zero while messages fail."
    " FailedInvokeEventCount and"
    " DeletedEventCount tell, and exist only where they are asked for.",
    fix="""
resource "aws_lambda_event_source_mapping" "this" {
  metrics_config {
    metrics = ["EventCount"]
  }
}
""",
    link=links.LAMBDA_MAPPING_METRICS,
    subjects=(MAPPING,),
)
def mapping_has_metrics(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    if not reads_queue(mapping, plan):
        return
    metrics = mapping.values.block("metrics_config")
    if metrics is None or "EventCount" not in metrics.texts("metrics"):
        yield 'it has no metrics_config with "EventCount"; write metrics_config { metrics = ["EventCount"] }'


@rule(
    "FO310",
    Severity.MEDIUM,
    title="What works together is in one region",
    why="A region argument that reaches some resources and not others puts mapping, queue and function"
    " in different regions,"
    " where they cannot see each other.",
    fix="""
# Either no resource of a module has a region argument, or each has the same.
resource "aws_lambda_event_source_mapping" "this" {
  region = var.region
}
""",
    link=links.PROVIDER_REGION,
    subjects=(MAPPING,),
)
def one_region(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    own = mapping.values.raw("region")
    for attribute, kind in (("event_source_arn", QUEUE), ("function_name", FUNCTION)):
        value = mapping.values.raw(attribute)
        arn = Arn.parse(value) if isinstance(value, str) else None
        if arn is not None:
            other: object = arn.region
        else:
            if value is UNKNOWN and kind == QUEUE and not reads_queue(mapping, plan):
                continue
            named = plan.one(mapping, attribute, kinds=(kind,))
            other = named.values.raw("region") if named else None
        if UNKNOWN in (own, other):
            yield Open(f"the region of {attribute} or of the mapping is known after the apply only")
        elif isinstance(own, str) and isinstance(other, str) and other and own != other:
            yield (
                f"it is in {own} and its {attribute} in {json.dumps(other)}; write one region, or none,"
                " on all of them"
            )


@rule(
    "FO311",
    Severity.MEDIUM,
    title="Order is not asked of a queue whose consumer cannot keep it",
    why="Two mappings on one FIFO queue, or two functions on any, share the messages between them: each"
    " sees a part.",
    fix="""
# One mapping for a queue. Several consumers get a queue each, from an SNS topic or an event bus.
""",
    link=links.LAMBDA_SQS,
    subjects=(QUEUE,),
)
def one_consumer(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    view = plan.view(consumption)
    mappings = view.by_queue.get(queue.address, [])
    if len(mappings) > 1:
        names = ", ".join(str(mapping) for mapping in mappings)
        yield f"it is read by {names}, which take messages from each other; keep one"
    elif view.adrift:
        raise Undecided(view.adrift[0])


@rule(
    "FO312",
    Severity.HIGH,
    title="A function may read the queue behind its mapping, and use its key",
    why="Lambda polls with the function's role. Without a right on the queue the mapping is refused at"
    " apply; without kms:Decrypt on the queue's key it is made, and reads nothing.",
    fix="""
statement {
  actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
  resources = [aws_sqs_queue.this.arn]
}
statement {
  actions   = ["kms:Decrypt"]
  resources = [aws_kms_key.queue.arn]
}
""",
    link=links.LAMBDA_SQS,
    subjects=(MAPPING,),
)
def function_may_read(mapping: Resource, plan: Plan) -> Iterator[str | Open]:
    queue = queue_of(mapping, plan)
    function = function_of(mapping, plan) if queue else None
    role = plan.one(function, "role", kinds=(ROLE,)) if function else None
    if queue is None or role is None:
        return
    grants = policies_of_role(role, plan)
    lacking = [
        action
        for action in ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
        if not grants_on(grants, action, queue, plan)
    ]
    if lacking:
        yield f"{role} may not {' and not '.join(lacking)} on {queue}; grant it"
    # Whoever may use SQS may use alias/aws/sqs through it.
    if customer_key(queue) not in (None, "alias/aws/sqs") and not may_use_key(
        grants, "kms:Decrypt", queue, plan
    ):
        yield f"{role} may not kms:Decrypt with the key of {queue}; grant it"
