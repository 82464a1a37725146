"""Rules about what a plan takes away: what it holds, watches over or moves is lost, or stands still."""

from __future__ import annotations

from collections.abc import Iterator

from policies.plan import UNKNOWN, Plan, Resource, Undecided
from policies.plan.model import value_at
from policies.rules import links
from policies.rules.rule import Open, Severity, rule
from policies.topology.consumption import FUNCTION, MAPPING
from policies.topology.failures import QUEUE
from policies.topology.severity import CRITICAL, severity_of
from policies.topology.watching import ALARM, COMPOSITE

SCHEDULE = "aws_scheduler_schedule"
_DATA = "every item in it is gone"
_KEY = "what is encrypted under it can never be read again"
_CREDENTIAL = "whoever reads the credential in it stands without"
# What goes with each, in a sentence.
HOLDERS = {
    QUEUE: "the messages in it, waiting, in flight or dead, are gone",
    "aws_kinesis_stream": "the records in it are gone",
    "aws_dynamodb_table": _DATA,
    "aws_dynamodb_global_table": _DATA,
    "aws_dynamodb_table_replica": _DATA,
    "aws_dynamodb_table_item": "the item is gone",
    "aws_db_instance": _DATA,
    "aws_rds_cluster": _DATA,
    "aws_s3_bucket": "the objects in it are gone, or keep it from being deleted and the apply from its end",
    "aws_cloudwatch_event_archive": "the events in it are gone",
    "aws_kms_key": _KEY,
    "aws_kms_external_key": _KEY,
    "aws_kms_replica_key": _KEY,
    "aws_kms_replica_external_key": _KEY,
    "aws_secretsmanager_secret": _CREDENTIAL,
    "aws_ssm_parameter": _CREDENTIAL,
    "aws_sns_topic": "its subscriptions are gone, and each mailbox has to confirm once more",
    "aws_cloudwatch_log_group": "the log lines in it are gone",
}

# What to write instead, for all of them.
_KEPT = """
moved { # it has another address now
  from = module.charge
  to   = module.billing
}

removed { # Terraform lets go of it, and it stays
  from = aws_sqs_queue.old
  lifecycle {
    destroy = false
  }
}
"""


@rule(
    "FO701",
    Severity.HIGH,
    title="What holds messages, money or keys is not deleted or replaced",
    why="Terraform renames a queue, a table or a key by making another one and deleting the first with all"
    " that is in it.",
    fix=_KEPT,
    link=links.TERRAFORM_MOVED,
    subjects=tuple(HOLDERS),
    leaving=True,
)
def holders_stay(holder: Resource, _plan: Plan) -> Iterator[str | Open]:
    yield (
        f"it is {holder.leaving}: {HOLDERS[holder.type]}. Keep it (a moved block for another address, the"
        " former value of what makes another one), or empty it first and waive this"
    )


@rule(
    "FO702",
    Severity.HIGH,
    title="A critical alarm is not deleted or replaced",
    why="What it watches goes unwatched, for good or until the new alarm has its first data; one that is on"
    " is forgotten.",
    fix=_KEPT,
    link=links.ALARM_ACTIONS,
    subjects=(ALARM, COMPOSITE),
    leaving=True,
)
def critical_alarms_stay(alarm: Resource, plan: Plan) -> Iterator[str | Open]:
    if severity_of(alarm, plan) == CRITICAL:
        yield (
            f"it is {alarm.leaving}, and it is critical: nobody hears of what it watches meanwhile. Keep it,"
            " or waive this where what it watches goes too"
        )


@rule(
    "FO703",
    Severity.HIGH,
    title="What is read or invoked now still is",
    why="A queue that no mapping reads any more keeps its messages until their retention ends, and loses"
    " them then; a function that no schedule invokes any more misses its run without an error.",
    fix=_KEPT,
    link=links.TERRAFORM_REMOVED,
    subjects=(MAPPING, SCHEDULE),
    leaving=True,
)
def work_goes_on(mover: Resource, plan: Plan) -> Iterator[str | Open]:
    path: tuple[str | int, ...] = ("event_source_arn",) if mover.type == MAPPING else ("target", 0, "arn")
    what = value_at(mover, *path)
    if not isinstance(what, str) or _deleted(what, plan):
        return
    for other in plan.of(mover.type):
        theirs = value_at(other, *path)
        if theirs == what:
            return
        if theirs is UNKNOWN and other.address == mover.address:
            raise Undecided(
                f"it is replaced, and whether the new one is for {what} is known after the apply only"
            )
    does = "reads" if mover.type == MAPPING else "invokes"
    yield (
        f"it is {mover.leaving}, {what} stays, and no other one {does} that. Keep it, or delete what it"
        f" {does} too"
    )


def _deleted(arn: str, plan: Plan) -> bool:
    """Whether the plan takes away what an ARN names: a queue, table or stream, or a function for good."""
    taken = any(arn in (gone.values.raw("arn"), gone.values.raw("stream_arn")) for gone in plan.leaving)
    return taken and not plan.named(arn, (FUNCTION,))
