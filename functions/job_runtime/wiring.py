"""A consumer put together from its environment, once, at cold start."""

from job_runtime import aws
from job_runtime.attempts import Attempts
from job_runtime.clock import Clock
from job_runtime.config import ConfigurationError, Settings
from job_runtime.consumer import Apply, Consumer
from job_runtime.envelope import Contract
from job_runtime.halt import Halts
from job_runtime.observe import observer
from job_runtime.payloads import Payloads
from job_runtime.quarantine import Quarantine
from job_runtime.visibility import Backoff, Visibility


def consumer_from(
    settings: Settings,
    *,
    contract: Contract,
    apply: Apply,
    done_metric: str,
    clock: Clock,
) -> Consumer:
    """The consumer of one job.

    Reads the variables of `observe.observer` and JOB_TABLE, QUEUE_URL, DLQ_URL, PAYLOAD_BUCKET (none),
    MAX_ATTEMPTS (5), MAX_DELIVERIES (10), BATCH_THREADS (10) and ON_QUARANTINE (`continue` or `halt-group`).
    Raises ConfigurationError naming the variable that is missing or wrong.
    """
    observing = observer(settings)
    table = settings.required("JOB_TABLE")
    queue, dead_letters = settings.url("QUEUE_URL"), settings.url("DLQ_URL")
    if queue.endswith(".fifo") != dead_letters.endswith(".fifo"):
        raise ConfigurationError(
            "DLQ_URL must be a queue of the kind of QUEUE_URL: both FIFO or both standard"
        )
    halting = settings.choice("ON_QUARANTINE", ("continue", "halt-group"), default="continue") == "halt-group"
    if halting and not queue.endswith(".fifo"):
        raise ConfigurationError("ON_QUARANTINE must be continue: a standard queue has no order to keep")
    bucket = settings.optional("PAYLOAD_BUCKET")
    return Consumer(
        contract=contract,
        payloads=Payloads(aws.s3(), bucket) if bucket else None,
        apply=apply,
        done_metric=done_metric,
        max_attempts=settings.integer("MAX_ATTEMPTS", low=1, high=100, default=5),
        max_deliveries=settings.integer("MAX_DELIVERIES", low=1, high=100, default=10),
        threads=settings.integer("BATCH_THREADS", low=1, high=32, default=10),
        attempts=Attempts(aws.dynamodb(), table, clock),
        quarantine=Quarantine(aws.sqs(), dead_letters),
        visibility=Visibility(aws.sqs(), queue, observing.logger),
        backoff=Backoff(),
        halts=Halts(aws.dynamodb(), table, contract.job, clock) if halting else None,
        observer=observing,
        clock=clock,
    )
