"""Rules about queues and their dead-letter queues."""

from __future__ import annotations

import json
from collections.abc import Iterator

from policies.plan import UNKNOWN, Plan, Resource, Undecided
from policies.rules import links
from policies.rules.rule import Open, Severity, rule
from policies.topology.consumption import fifo
from policies.topology.failures import QUEUE, Redrive, failures, redrive_document

REDRIVE_HOLDERS = (QUEUE, "aws_sqs_queue_redrive_policy")
DAY = 86_400
MINIMUM_RETENTION = 4 * DAY
MINIMUM_RECEIVES = 3


def _redrives_at(holder: Resource, plan: Plan) -> list[Redrive]:
    """The redrive policies that a resource holds. Raises Undecided when it cannot be told whose they are."""
    lost = plan.view(failures).lost.get(holder.address)
    if lost is not None:
        raise Undecided(lost)
    return plan.view(failures_by_holder).get(holder.address, [])


def failures_by_holder(plan: Plan) -> dict[str, list[Redrive]]:
    """Redrive policies by the address of the resource that holds them; use through `plan.view`."""
    held: dict[str, list[Redrive]] = {}
    for redrives in plan.view(failures).by_source.values():
        for redrive in redrives:
            held.setdefault(redrive.holder.address, []).append(redrive)
    return held


@rule(
    "FO101",
    Severity.HIGH,
    title="A queue has a dead-letter queue",
    why="A message that cannot be processed is received again until its retention ends, and is then lost"
    " without a"
    " trace; on a FIFO queue it blocks its group all that time.",
    fix="""
resource "aws_sqs_queue_redrive_policy" "this" {
  queue_url = aws_sqs_queue.this.url
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letter.arn
    maxReceiveCount     = 5
  })
}
""",
    link=links.SQS_DLQ,
    subjects=(QUEUE,),
)
def queue_has_dead_letter_queue(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    view = plan.view(failures)
    if queue.address in view.takers or view.redrives(queue):
        return
    if view.adrift:
        raise Undecided(f"no redrive policy is known to be its own, but one may be ({view.adrift[0]})")
    yield (
        "it has no redrive policy and takes no failures of others; write an"
        " aws_sqs_queue_redrive_policy for it"
    )


@rule(
    "FO102",
    Severity.HIGH,
    title="A dead-letter queue keeps messages longer than its source",
    why="On a standard queue a message keeps its first enqueue time when it moves: with the same"
    " retention, what failed"
    " late is deleted before anyone can look at it.",
    fix="""
resource "aws_sqs_queue" "dead_letter" {
  message_retention_seconds = 1209600 # 14 days, the most that SQS has
}
""",
    link=links.SQS_DLQ,
    subjects=REDRIVE_HOLDERS,
)
def dead_letters_outlive_source(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    for redrive in _redrives_at(holder, plan):
        if redrive.target is None:
            yield Open(redrive.problem)
            continue
        kept = redrive.source.values.number("message_retention_seconds", MINIMUM_RETENTION)
        after = redrive.target.values.number("message_retention_seconds", MINIMUM_RETENTION)
        if kept is not None and after is not None and after <= kept:
            yield (
                f"{redrive.target} keeps messages for {after:.15g} s, {redrive.source} for {kept:.15g} s; the"
                " first has to be"
                f" longer. Write message_retention_seconds = {14 * DAY} on {redrive.target}"
                + (f" and less than that on {redrive.source}" if kept >= 14 * DAY else "")
            )


@rule(
    "FO103",
    Severity.HIGH,
    title="Queue and dead-letter queue are of one type",
    why="SQS refuses a standard dead-letter queue for a FIFO queue and the other way round; the fault"
    " shows at apply.",
    fix="""
resource "aws_sqs_queue" "dead_letter" {
  name       = "charges-dlq.fifo"
  fifo_queue = true # as on its source
}
""",
    link=links.SQS_DLQ,
    subjects=REDRIVE_HOLDERS,
)
def dead_letter_queue_is_of_the_same_type(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    for redrive in _redrives_at(holder, plan):
        if redrive.target is None:
            yield Open(redrive.problem)
            continue
        kinds = {True: "FIFO", False: "standard"}
        source, target = fifo(redrive.source), fifo(redrive.target)
        if source != target:
            yield (
                f"{redrive.source} is a {kinds[source]} queue and fails over to {redrive.target}, a"
                f" {kinds[target]} one;"
                f" write fifo_queue = {str(source).lower()} on {redrive.target}"
            )


@rule(
    "FO104",
    Severity.HIGH,
    title="A message is received at least three times before it is given up",
    why="A receive counts even when the function never ran: throttled once or killed once, a message with"
    " maxReceiveCount 1 is in the dead-letter queue. Members of a failing FIFO group burn receives too.",
    fix="""
redrive_policy = jsonencode({
  deadLetterTargetArn = aws_sqs_queue.dead_letter.arn
  maxReceiveCount     = 5
})
""",
    link=links.SQS_DLQ,
    subjects=REDRIVE_HOLDERS,
)
def enough_receives(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    for redrive in _redrives_at(holder, plan):
        maximum = _as_number(redrive.maximum)
        if redrive.maximum is UNKNOWN:
            yield Open("maxReceiveCount is inside a redrive policy that is known after the apply only")
        elif maximum is not None and not MINIMUM_RECEIVES <= maximum <= 1000:
            yield f"maxReceiveCount is {maximum:.15g}; {MINIMUM_RECEIVES} to 1000 are allowed. Write 5"


def _as_number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    return None


@rule(
    "FO105",
    Severity.MEDIUM,
    title="A redrive policy is an object with a number in it",
    why="SQS hands maxReceiveCount back as a number: written as a string, which a map(any) makes of it,"
    " every plan shows"
    " a change, or the apply waits until it times out.",
    fix="""
variable "redrive" {
  type = object({ max_receive_count = number }) # a typed object, no map(any)
}
""",
    link=links.PROVIDER_REDRIVE,
    subjects=REDRIVE_HOLDERS,
)
def redrive_policy_is_well_formed(holder: Resource, _plan: Plan) -> Iterator[str | Open]:
    text = holder.values.text("redrive_policy")
    if not text:
        return
    policy = redrive_document(text)
    if policy is None:
        yield "redrive_policy is not a JSON object; write it with jsonencode({ ... })"
        return
    if not isinstance(policy.get("deadLetterTargetArn"), str):
        yield "redrive_policy has no deadLetterTargetArn; write the ARN of the dead-letter queue"
    maximum = policy.get("maxReceiveCount")
    if isinstance(maximum, bool) or not isinstance(maximum, int):
        yield (
            f"maxReceiveCount is {json.dumps(maximum)}, not a whole number; write a number, from a typed"
            " variable"
        )


@rule(
    "FO106",
    Severity.MEDIUM,
    title="A dead-letter queue names the queues that may use it",
    why="Without a redrive allow policy any queue of the account may move messages in; with a member of"
    " null, more than"
    " ten sources, or none at all, the policy never becomes what was written and the apply times out.",
    fix="""
resource "aws_sqs_queue_redrive_allow_policy" "dead_letter" {
  queue_url = aws_sqs_queue.dead_letter.url
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [aws_sqs_queue.this.arn]
  })
}
""",
    link=links.SQS_DLQ,
    subjects=(QUEUE,),
)
def dead_letter_queue_names_its_sources(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    sources = plan.view(failures).by_target.get(queue.address, [])
    attached = plan.attached("aws_sqs_queue_redrive_allow_policy", "queue_url", QUEUE)
    holders = [
        holder
        for holder in (queue, *attached.of(queue))
        if holder.values.raw("redrive_allow_policy") not in (None, "")
    ]
    if not holders:
        if sources and attached.adrift:
            raise Undecided(f"{attached.adrift[0]}: queue_url is known after the apply only")
        if sources:
            yield (
                f"it is the dead-letter queue of {sources[0].source} and has no redrive allow policy;"
                " write an"
                ' aws_sqs_queue_redrive_allow_policy with redrivePermission = "byQueue"'
            )
        return
    for holder in holders:
        yield from _judge_allow_policy(queue, holder, sources, plan)


def _judge_allow_policy(
    queue: Resource, holder: Resource, sources: list[Redrive], plan: Plan
) -> Iterator[str | Open]:
    value = holder.values.raw("redrive_allow_policy")
    if value is UNKNOWN:
        named = plan.trail(holder, "redrive_allow_policy").found
        missing = [redrive for redrive in sources if redrive.source.address not in named]
        if missing or not named:
            yield Open(f"redrive_allow_policy of {holder} is known after the apply only")
        return
    policy = redrive_document(value) if isinstance(value, str) else None
    if policy is None:
        yield f"redrive_allow_policy of {holder} is not a JSON object; write it with jsonencode({{ ... }})"
        return
    permission = policy.get("redrivePermission")
    if permission == "denyAll" and not sources:
        return
    if permission != "byQueue":
        yield f'redrivePermission is {json.dumps(permission)}; write "byQueue" and the ARNs of its sources'
    if "sourceQueueArns" in policy and policy["sourceQueueArns"] is None:
        yield (
            "sourceQueueArns is null, which SQS drops and Terraform never sees again; leave the member"
            " out, or list ARNs"
        )
    listed = policy.get("sourceQueueArns")
    arns = [arn for arn in listed if isinstance(arn, str)] if isinstance(listed, list) else []
    if permission == "byQueue" and not 1 <= len(arns) <= 10:
        yield f"sourceQueueArns holds {len(arns)} ARNs; 1 to 10 are allowed"
    for redrive in sources:
        known = any(found is redrive.source for arn in arns for found in plan.named(arn, (QUEUE,)))
        if permission == "byQueue" and arns and not known:
            yield f"sourceQueueArns does not hold {redrive.source}, which fails over to {queue}; add its ARN"


@rule(
    "FO107",
    Severity.LOW,
    title="Receives wait 20 seconds",
    why="Short polling asks a part of SQS's servers, misses messages, and pays for empty answers.",
    fix="""
resource "aws_sqs_queue" "this" {
  receive_wait_time_seconds = 20
}
""",
    link=links.SQS_POLLING,
    subjects=(QUEUE,),
)
def receives_wait(queue: Resource, _plan: Plan) -> Iterator[str | Open]:
    waits = queue.values.number("receive_wait_time_seconds", 0)
    if waits != 20:
        yield f"receive_wait_time_seconds is {waits:.15g}; write 20"


@rule(
    "FO108",
    Severity.MEDIUM,
    title="Encryption of a queue is stated",
    why="What encrypts a queue is then a decision that a reader sees and a later change shows, not a"
    " default of the"
    " service. An empty or null key is no key.",
    fix="""
resource "aws_sqs_queue" "this" {
  sqs_managed_sse_enabled = true # or kms_master_key_id = aws_kms_key.this.arn
}
""",
    link=links.SQS_ENCRYPTION,
    subjects=(QUEUE,),
)
def encryption_is_stated(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    if queue.values.raw("sqs_managed_sse_enabled") is True:
        return
    key = queue.values.raw("kms_master_key_id")
    if key is UNKNOWN:
        if plan.trail(queue, "kms_master_key_id").found:
            return  # a key of this plan: which one is unknown, that there is one is not
        raise Undecided("kms_master_key_id is known after the apply only")
    if isinstance(key, str) and key:
        return
    queue.values.flag("sqs_managed_sse_enabled")  # what is unknown is undecided
    yield (
        "sqs_managed_sse_enabled is not true and there is no kms_master_key_id; write"
        " sqs_managed_sse_enabled = true"
    )


@rule(
    "FO109",
    Severity.HIGH,
    title="Deduplication goes by a business key, not by content",
    why="Two messages that differ in one byte are two messages, and two that are equal for a reason are"
    " one. The sender"
    " knows the business key; the hash of a body does not.",
    fix="""
resource "aws_sqs_queue" "this" {
  fifo_queue                  = true
  content_based_deduplication = false # senders set MessageDeduplicationId
}
""",
    link=links.SQS_DEDUPLICATION,
    subjects=(QUEUE,),
)
def deduplication_is_explicit(queue: Resource, _plan: Plan) -> Iterator[str | Open]:
    if queue.values.flag("content_based_deduplication"):
        yield "content_based_deduplication is true; write false, and have senders set MessageDeduplicationId"


@rule(
    "FO110",
    Severity.MEDIUM,
    title="High-throughput mode sets both of its attributes",
    why="SQS refuses a throughput limit per group without a deduplication scope per group; with the"
    " scope alone the queue"
    " stays at 300 calls a second.",
    fix="""
resource "aws_sqs_queue" "this" {
  deduplication_scope   = "messageGroup"
  fifo_throughput_limit = "perMessageGroupId"
}
""",
    link=links.SQS_FIFO_THROUGHPUT,
    subjects=(QUEUE,),
)
def high_throughput_is_whole(queue: Resource, _plan: Plan) -> Iterator[str | Open]:
    if not fifo(queue):
        return
    scope = queue.values.text("deduplication_scope")
    limit = queue.values.text("fifo_throughput_limit")
    if (scope == "messageGroup") != (limit == "perMessageGroupId"):
        yield (
            f"deduplication_scope is {json.dumps(scope)} and fifo_throughput_limit is {json.dumps(limit)};"
            " write"
            ' "messageGroup" with "perMessageGroupId", or "queue" with "perQueue"'
        )


@rule(
    "FO111",
    Severity.MEDIUM,
    title="The name says whether a queue is FIFO, once",
    why="A FIFO queue's name ends in .fifo, and no other's does; a name put together from one that had"
    " the suffix already"
    " (charges.fifo-dlq.fifo) is refused at apply.",
    fix="""
locals { base = trimsuffix(var.name, ".fifo") }
resource "aws_sqs_queue" "dead_letter" {
  name = "${local.base}-dlq.fifo"
}
""",
    link=links.SQS_QUOTAS,
    subjects=(QUEUE,),
)
def name_says_fifo_once(queue: Resource, _plan: Plan) -> Iterator[str | Open]:
    name = queue.values.text("name")
    if name is None:
        return
    if ".fifo" in name.removesuffix(".fifo"):
        yield (
            f'name is "{name}", with .fifo before its end; take the suffix off before putting names together'
        )
    if len(name) > 80:
        yield f"name is {len(name)} characters long; 80 are allowed, suffix included"
    if queue.values.flag("fifo_queue") != name.endswith(".fifo"):
        yield (
            f'name is "{name}" and fifo_queue is {str(queue.values.flag("fifo_queue")).lower()}; .fifo'
            " goes with true"
        )


@rule(
    "FO112",
    Severity.MEDIUM,
    title="Retention covers the time to recover",
    why="A consumer that breaks on a Friday evening is mended on Monday: with a shorter retention its"
    " messages are gone.",
    fix="""
resource "aws_sqs_queue" "this" {
  message_retention_seconds = 345600 # 4 days or more
}
""",
    link=links.SQS_QUOTAS,
    subjects=(QUEUE,),
)
def retention_covers_recovery(queue: Resource, _plan: Plan) -> Iterator[str | Open]:
    kept = queue.values.number("message_retention_seconds", MINIMUM_RETENTION)
    if kept is not None and kept < MINIMUM_RETENTION:
        yield f"message_retention_seconds is {kept:.15g}; {MINIMUM_RETENTION} (4 days) or more are wanted"


_SETTINGS = (
    ("policy", "aws_sqs_queue_policy"),
    ("redrive_policy", "aws_sqs_queue_redrive_policy"),
    ("redrive_allow_policy", "aws_sqs_queue_redrive_allow_policy"),
)


@rule(
    "FO113",
    Severity.HIGH,
    title="Each setting of a queue is written in one place",
    why="A queue has one policy: two resources that write it, or one beside the queue's own argument,"
    " overwrite each other"
    " at every apply, and the last one wins.",
    fix="""
# One aws_sqs_queue_policy for a queue; several statements go into one document.
resource "aws_sqs_queue_policy" "this" {
  queue_url = aws_sqs_queue.this.url
  policy    = data.aws_iam_policy_document.this.json
}
""",
    link=links.PROVIDER_QUEUE_POLICY,
    subjects=(QUEUE,),
)
def settings_are_written_once(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    for attribute, kind in _SETTINGS:
        attachments = plan.attached(kind, "queue_url", QUEUE)
        holders = [str(holder) for holder in attachments.of(queue)]
        # A queue that exists shows the policy of the other resource as its own: only what is written counts.
        if holders and _written(queue, attribute, plan):
            holders.insert(0, f"{queue}.{attribute}")
        if len(holders) > 1:
            yield f"its {attribute} is written by {', '.join(holders)}; keep one of them"
        elif attachments.adrift:
            yield Open(
                f"{attachments.adrift[0]} may write its {attribute}: queue_url is known after the apply only"
            )


def _written(queue: Resource, attribute: str, plan: Plan) -> bool:
    if queue.values.raw(attribute) is None:
        return False
    written = plan.references.written(queue, attribute)
    return bool(written) or plan.references.constant(queue, attribute) is not None
