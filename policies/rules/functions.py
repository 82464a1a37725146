"""Rules about functions that are invoked without anyone waiting, and about what functions write down."""

from __future__ import annotations

from collections.abc import Iterator

from policies.plan import UNKNOWN, Arn, Plan, Resource, Undecided
from policies.plan.model import value_at
from policies.rules import links
from policies.rules.rule import Open, Severity, rule
from policies.topology.consumption import FUNCTION, fifo
from policies.topology.failures import QUEUE

INVOKE_CONFIG = "aws_lambda_function_event_invoke_config"
LOG_GROUP = "aws_cloudwatch_log_group"

# Who invokes functions asynchronously: type, and path of what names the function.
_ASYNCHRONOUS: tuple[tuple[str, tuple[str | int, ...]], ...] = (
    ("aws_scheduler_schedule", ("target", 0, "arn")),
    ("aws_cloudwatch_event_target", ("arn",)),
    ("aws_sns_topic_subscription", ("endpoint",)),
)
_FAILURE = ("destination_config", 0, "on_failure", 0, "destination")


@rule(
    "FO601",
    Severity.HIGH,
    title="A function that is invoked asynchronously keeps what fails",
    why="A schedule, a rule or a topic only hands the event over; once it is accepted their retries and"
    " dead-letter queues"
    " see nothing of the failure. What the function then gives up is gone without a destination of its own.",
    fix="""
resource "aws_lambda_function_event_invoke_config" "this" {
  function_name          = aws_lambda_function.this.function_name
  maximum_retry_attempts = 2
  destination_config {
    on_failure {
      destination = aws_sqs_queue.failures.arn
    }
  }
}
""",
    link=links.LAMBDA_ASYNC,
    subjects=tuple(kind for kind, _ in _ASYNCHRONOUS),
)
def asynchronous_failures_are_kept(caller: Resource, plan: Plan) -> Iterator[str | Open]:
    path = next(path for kind, path in _ASYNCHRONOUS if kind == caller.type)
    if caller.type == "aws_sns_topic_subscription" and caller.values.text("protocol") != "lambda":
        return
    target = value_at(caller, *path)
    arn = Arn.parse(target) if isinstance(target, str) else None
    if arn is not None and arn.service != "lambda":
        return
    function = plan.one(caller, *path, kinds=(FUNCTION,))
    if function is None or value_at(function, "dead_letter_config", 0, "target_arn") is not None:
        return
    configured = plan.attached(INVOKE_CONFIG, "function_name", FUNCTION)
    for config in configured.of(function):
        if value_at(config, *_FAILURE) is not None:
            return
    if configured.adrift:
        raise Undecided(f"{configured.adrift[0]}: function_name is known after the apply only")
    yield f"it invokes {function}, which has no on-failure destination; write an {INVOKE_CONFIG} with one"


@rule(
    "FO602",
    Severity.HIGH,
    title="Failures of an asynchronous invocation go to a standard queue",
    why="Lambda refuses a FIFO queue as on-failure destination or dead-letter queue of a function.",
    fix="""
resource "aws_sqs_queue" "failures" {
  name = "dispatch-failures" # no .fifo
}
""",
    link=links.LAMBDA_ASYNC,
    subjects=(FUNCTION, INVOKE_CONFIG),
)
def asynchronous_failures_go_to_a_standard_queue(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    path = _FAILURE if holder.type == INVOKE_CONFIG else ("dead_letter_config", 0, "target_arn")
    yield from refuse_fifo(holder, plan, path)


def refuse_fifo(holder: Resource, plan: Plan, path: tuple[str | int, ...]) -> Iterator[str]:
    """A finding when a path names a FIFO queue. Raises Undecided."""
    value = value_at(holder, *path)
    if isinstance(value, str) and Arn.parse(value) is not None:
        if value.endswith(".fifo"):
            yield f"failures go to {value}, a FIFO queue; name a standard queue"
        return
    queue = plan.one(holder, *path, kinds=(QUEUE,))
    if queue is not None and fifo(queue):
        yield f"failures go to {queue}, a FIFO queue; name a standard queue"


@rule(
    "FO603",
    Severity.MEDIUM,
    title="A function's log group is made by Terraform and ends",
    why="A log group that the function makes for itself keeps everything for ever, and is in Terraform's"
    " way later.",
    fix="""
resource "aws_cloudwatch_log_group" "this" {
  name              = "/aws/lambda/charge-consumer"
  retention_in_days = 30
}
""",
    link=links.LAMBDA_LOGS,
    subjects=(FUNCTION,),
)
def log_group_is_kept(function: Resource, plan: Plan) -> Iterator[str | Open]:
    logging = None if function.values.unknown("logging_config") else function.values.block("logging_config")
    given = logging.raw("log_group") if logging else None
    name = function.values.raw("function_name")
    if isinstance(given, str) or (given is None and isinstance(name, str)):
        wanted = given if isinstance(given, str) else f"/aws/lambda/{name}"
        groups = plan.named(wanted, (LOG_GROUP,))
    else:
        wanted = "/aws/lambda/<its name>"
        groups = [] if given is UNKNOWN else _named_after(function, plan)
        groups = groups or [
            r for r in plan.trail(function, "logging_config").found.values() if r.type == LOG_GROUP
        ]
        if not groups:
            raise Undecided("function_name is known after the apply only")
    if not groups:
        if any(group.values.unknown("name") for group in plan.of(LOG_GROUP)) and not _named_after(
            function, plan
        ):
            raise Undecided(f"a log group whose name is known after the apply only may be {wanted}")
        if not _named_after(function, plan):
            yield f"no aws_cloudwatch_log_group is named {wanted}; write one with a retention"
        return
    for group in groups:
        if group.values.number("retention_in_days", 0) == 0:
            yield f"{group} has no retention_in_days; write 30, say"


def _named_after(function: Resource, plan: Plan) -> list[Resource]:
    """Log groups whose unknown name is made from the function's."""
    return plan.view(_groups_by_function).get(function.address, [])


def _groups_by_function(plan: Plan) -> dict[str, list[Resource]]:
    found: dict[str, list[Resource]] = {}
    for group in plan.of(LOG_GROUP):
        if group.values.unknown("name"):
            for source in plan.trail(group, "name").found:
                found.setdefault(source, []).append(group)
    return found


@rule(
    "FO604",
    Severity.HIGH,
    title="Events are not written to the log",
    why="POWERTOOLS_LOGGER_LOG_EVENT writes each event whole, with the personal data in every body.",
    fix="""
environment {
  variables = {
    POWERTOOLS_LOG_LEVEL = "INFO" # and no POWERTOOLS_LOGGER_LOG_EVENT
  }
}
""",
    link=links.POWERTOOLS_LOGGER,
    subjects=(FUNCTION,),
)
def events_are_not_logged(function: Resource, _plan: Plan) -> Iterator[str | Open]:
    environment = function.values.block("environment")
    if environment is None:
        return
    value = environment.mapping("variables").text("POWERTOOLS_LOGGER_LOG_EVENT")
    if value is not None and value.lower() in ("true", "1", "yes", "y", "on", "t"):
        yield "POWERTOOLS_LOGGER_LOG_EVENT is on; take the variable away"


@rule(
    "FO605",
    Severity.HIGH,
    title="A service may invoke a function from named sources only",
    why="A permission for a service principal without a source lets any account's rule, topic or bucket"
    " invoke the function.",
    fix="""
resource "aws_lambda_permission" "this" {
  principal  = "events.amazonaws.com"
  source_arn = aws_cloudwatch_event_rule.this.arn
}
""",
    link=links.LAMBDA_PERMISSION,
    subjects=("aws_lambda_permission",),
)
def invocations_come_from_named_sources(permission: Resource, _plan: Plan) -> Iterator[str | Open]:
    principal = permission.values.text("principal")
    sources = [permission.values.raw(name) for name in ("source_arn", "source_account", "principal_org_id")]
    if principal == "*" and not any(sources):
        yield 'principal is "*" without a source; name the account or service that invokes'
    elif principal is not None and principal.endswith(".amazonaws.com") and not any(sources):
        yield f"{principal} may invoke for any account; write source_arn (and source_account for a bucket)"
