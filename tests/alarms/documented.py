"""What AWS, and this project's functions, document of each metric that an alarm is for.

Nothing here is read from an alarm. A thing that is watched ("it" below) is known by what is deployed: names,
limits. `wrong` is what its metric gets each minute while the trouble lasts, as a service publishes it, and
lies as close above the limit as it can; `right` lies as close below. The samples are so chosen that another
statistic than the documented one sees no trouble in `wrong`, or still sees it in `right`: one high sample
among low ones for a maximum, many small ones for a sum, few of many for a percentile.

Sources, by the titles of AWS's pages:

- SQS: "Available CloudWatch metrics for Amazon SQS"
- LAMBDA: "Types of metrics for Lambda functions"
- DYNAMODB: "DynamoDB metrics and dimensions"
- SCHEDULER: "Monitoring Amazon EventBridge Scheduler with Amazon CloudWatch"
- SNS: "Monitoring Amazon SNS topics using CloudWatch"
- OWN: this project's `functions/`, which `test_own_metrics.py` runs
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Thing = Mapping[str, Any]
"""What is deployed: `name` and what else its kind has, see `deployed.py`."""

Samples = Callable[[Thing], tuple[float, ...]]

_UNITS: Final = {
    "ApproximateAgeOfOldestMessage": "Seconds",
    "SentMessageSize": "Bytes",
    "Duration": "Milliseconds",
    "AsyncEventAge": "Milliseconds",
}

SQS, LAMBDA, DYNAMODB = "AWS/SQS", "AWS/Lambda", "AWS/DynamoDB"
SCHEDULER, SNS, OWN = "AWS/Scheduler", "AWS/SNS", ""
"""Namespaces; that of own metrics is the thing's `namespace`."""


@dataclass(frozen=True)
class Feed:
    """One metric: where it is, by the names of dimensions and which of the thing's values each has.

    `constants`: dimensions whose value is the same for every thing. `late`: which of the thing's values says
    how many seconds after its time a point appears.
    """

    namespace: str
    metric: str
    dimensions: Mapping[str, str]
    wrong: Samples
    right: Samples
    constants: tuple[tuple[str, str], ...] = ()
    late: str | None = None

    @property
    def unit(self) -> str:
        """The unit that its points have."""
        return _UNITS.get(self.metric, "Count")

    def place(self, it: Thing) -> "Place":
        """Its coordinates for a thing."""
        return Place(
            self.namespace or it["namespace"],
            self.metric,
            tuple(
                sorted(
                    [*((name, str(it[value])) for name, value in self.dimensions.items()), *self.constants]
                )
            ),
        )


@dataclass(frozen=True)
class Place:
    """The coordinates of one metric: namespace, name, and the exact set of dimensions."""

    namespace: str
    metric: str
    dimensions: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """For people."""
        shown = ", ".join(f"{name}={value}" for name, value in self.dimensions)
        return f"{self.namespace} {self.metric} {{{shown}}}"


@dataclass(frozen=True)
class Documented:
    """One kind of trouble: on what kind of thing, how many minutes it has to last, what it does to metrics.

    One minute is one point in time: what happens once a month has no second one. `lasting`: half of the
    minutes are nothing to tell anybody of. `stays`: minutes for which the alarm stays on after that, so that
    people see what is told once a month.
    `variants`: where the same trouble shows in different places, each is proven by itself. `applies`: whether
    a thing of the kind can have this trouble.
    """

    id: str
    kind: str
    minutes: int
    variants: tuple[tuple[Feed, ...], ...]
    applies: Callable[[Thing], bool] = lambda _it: True
    lasting: bool = False
    stays: Callable[[Thing], int] = lambda _it: 0


def _always(*samples: float) -> Samples:
    return lambda _it: samples


def _share(limit: str, share: float, *, below: float = 0.0) -> Samples:
    """A gauge whose highest sample is a share of a limit of the thing, less `below`."""
    return lambda it: (0.0, share * it[limit] - below)


def _gauge(top: float) -> Samples:
    return _always(0.0, top)


def _ones(count: int) -> Samples:
    """As many samples of 1: a count, as services publish it."""
    return _always(*[1.0] * count)


def _an_hour(_it: Thing) -> int:
    return 60


def _hidden(_it: Thing) -> int:
    """Who looks at a message hides it meanwhile."""
    return 4


_NOTHING: Final = _always(0.0, 0.0, 0.0)
_ONCE: Final = _always(1.0, 0.0, 0.0)


def _queue(metric: str, wrong: Samples, right: Samples) -> Feed:
    return Feed(SQS, metric, {"QueueName": "name"}, wrong, right)


def _function(metric: str, wrong: Samples = _ONCE, right: Samples = _NOTHING) -> Feed:
    return Feed(LAMBDA, metric, {"FunctionName": "name"}, wrong, right)


def _mapping(metric: str, wrong: Samples, right: Samples) -> Feed:
    return Feed(LAMBDA, metric, {"EventSourceMappingUUID": "uuid"}, wrong, right)


def _schedule(metric: str) -> tuple[tuple[Feed, ...], ...]:
    return ((Feed(SCHEDULER, metric, {"ScheduleGroup": "name"}, _ONCE, _NOTHING),),)


def _job(metric: str) -> tuple[tuple[Feed, ...], ...]:
    return ((Feed(OWN, metric, {"service": "name"}, _ONCE, _NOTHING),),)


# The operations that functions call; for each, DynamoDB keeps errors and throttles apart.
_OPERATIONS: Final = (
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "TransactWriteItems",
    "UpdateItem",
)


def _by_operation(metric: str) -> tuple[tuple[Feed, ...], ...]:
    return tuple(
        (Feed(DYNAMODB, metric, {"TableName": "name"}, _ONCE, _NOTHING, (("Operation", operation),)),)
        for operation in _OPERATIONS
    )


_VISIBLE, _IN_FLIGHT = "ApproximateNumberOfMessagesVisible", "ApproximateNumberOfMessagesNotVisible"
_AGE = "ApproximateAgeOfOldestMessage"

DOCUMENTED: Final = (
    # An hour, in seconds.
    Documented("queue-oldest-message-age", "queues", 1, ((_queue(_AGE, _gauge(3601), _gauge(3600)),),)),
    Documented(
        "queue-retention-risk",
        "queues",
        1,
        ((_queue(_AGE, _share("retention", 0.5), _share("retention", 0.5, below=1)),),),
    ),
    Documented(
        "queue-depth", "queues", 5, ((_queue(_VISIBLE, _gauge(100_001), _gauge(100_000)),),), lasting=True
    ),
    # 120,000 messages in flight is SQS's own limit.
    Documented("queue-in-flight", "queues", 1, ((_queue(_IN_FLIGHT, _gauge(96_000), _gauge(95_999)),),)),
    # Messages are there, and nothing is deleted: without a deletion the metric may be missing altogether.
    Documented(
        "queue-stalled",
        "queues",
        15,
        (
            (
                _queue(_VISIBLE, _gauge(5), _gauge(5)),
                _queue("NumberOfMessagesDeleted", _always(), _ones(1)),
            ),
            (
                _queue(_VISIBLE, _gauge(5), _gauge(0)),
                _queue("NumberOfMessagesDeleted", _always(0.0), _always(0.0)),
            ),
        ),
        lasting=True,
    ),
    Documented(
        "queue-duplicate-sends",
        "queues",
        1,
        ((_queue("NumberOfDeduplicatedSentMessages", _ONCE, _NOTHING),),),
        applies=lambda it: bool(it["fifo"]),
    ),
    Documented(
        "queue-message-size",
        "queues",
        1,
        ((_queue("SentMessageSize", _share("message_bytes", 0.8), _share("message_bytes", 0.8, below=1)),),),
    ),
    # 10,000 an hour, 167 a minute; the consumer itself polls as well.
    Documented(
        "queue-empty-receives", "queues", 60, ((_queue("NumberOfEmptyReceives", _ones(168), _ones(160)),),)
    ),
    Documented(
        "dlq-visible", "dead_letter_queues", 1, ((_queue(_VISIBLE, _gauge(1), _gauge(0)),),), stays=_hidden
    ),
    Documented(
        "dlq-in-flight",
        "dead_letter_queues",
        15,
        ((_queue(_IN_FLIGHT, _gauge(1), _gauge(0)),),),
        lasting=True,
    ),
    Documented(
        "dlq-oldest-message-age", "dead_letter_queues", 1, ((_queue(_AGE, _gauge(86_401), _gauge(86_400)),),)
    ),
    Documented(
        "dlq-retention-risk",
        "dead_letter_queues",
        1,
        ((_queue(_AGE, _share("retention", 0.8), _share("retention", 0.8, below=1)),),),
    ),
    Documented(
        "failure-queue-visible",
        "failure_queues",
        1,
        ((_queue(_VISIBLE, _gauge(1), _gauge(0)),),),
        stays=_hidden,
    ),
    Documented(
        "failure-queue-retention-risk",
        "failure_queues",
        1,
        ((_queue(_AGE, _share("retention", 0.8), _share("retention", 0.8, below=1)),),),
    ),
    # The time of an error is that of the invocation's beginning: a timeout is heard of that much later.
    Documented(
        "function-errors",
        "functions",
        1,
        (
            (_function("Errors"),),
            (Feed(LAMBDA, "Errors", {"FunctionName": "name"}, _ONCE, _NOTHING, late="timeout"),),
        ),
        stays=lambda it: 1 + int(it["timeout"]) // 60,
    ),
    # Half of the invocations fail; without any invocation there is nothing to divide by.
    Documented(
        "function-error-rate",
        "functions",
        15,
        (
            (
                _function("Invocations", _ones(4), _ones(4)),
                _function("Errors", _always(1, 1, 0, 0), _always(1, 0, 0, 0)),
            ),
            (_function("Invocations", _ones(2), _always()), _function("Errors", _ones(2), _always())),
        ),
        # What runs once a month has no rate.
        applies=lambda it: not it["asynchronous"],
        lasting=True,
    ),
    Documented("function-throttles", "functions", 3, ((_function("Throttles"),),), lasting=True),
    # 3 of 100 slow: the 99th percentile sees them, the average does not. 1 of 200: only the maximum does.
    Documented(
        "function-duration",
        "functions",
        5,
        (
            (
                Feed(
                    LAMBDA,
                    "Duration",
                    {"FunctionName": "name"},
                    lambda it: (*[1.0] * 97, *[800.0 * it["timeout"]] * 3),
                    lambda it: (*[1.0] * 199, 990.0 * it["timeout"]),
                ),
            ),
            # Of a few, one that ran into its timeout is no slowness; one that is all there was is.
            (
                Feed(
                    LAMBDA,
                    "Duration",
                    {"FunctionName": "name"},
                    lambda it: (800.0 * it["timeout"],),
                    lambda it: (*[1.0] * 9, 1000.0 * it["timeout"]),
                ),
            ),
        ),
        # What hands over to itself works until shortly before its timeout, by design.
        applies=lambda it: not it["invokes_itself"],
    ),
    Documented(
        "function-concurrency",
        "functions",
        1,
        (
            (
                _function(
                    "ConcurrentExecutions",
                    _share("reserved_concurrency", 0.9),
                    _share("reserved_concurrency", 0.9, below=1),
                ),
            ),
        ),
        # A mapping's own limit, at which it works by design, is not above what is reserved.
        applies=lambda it: it["reserved_concurrency"] is not None and not it["mapped"],
    ),
    Documented(
        "function-async-dropped",
        "functions",
        1,
        ((_function("AsyncEventsDropped"),),),
        applies=lambda it: bool(it["asynchronous"]),
    ),
    Documented(
        "function-destination-failures",
        "functions",
        1,
        ((_function("DestinationDeliveryFailures"),),),
        applies=lambda it: bool(it["asynchronous"]),
    ),
    # Milliseconds.
    Documented(
        "function-async-age",
        "functions",
        1,
        ((_function("AsyncEventAge", _gauge(300_001), _gauge(300_000)),),),
        applies=lambda it: bool(it["asynchronous"]),
    ),
    Documented(
        "function-recursion-stopped",
        "functions",
        1,
        ((_function("RecursiveInvocationsDropped"),),),
        applies=lambda it: bool(it["asynchronous"]),
    ),
    Documented(
        "mapping-failed-invokes",
        "mappings",
        5,
        (
            # A tenth of what was polled, and ten in five minutes.
            (
                _mapping("FailedInvokeEventCount", _ones(2), _ones(2)),
                _mapping("PolledEventCount", _ones(20), _ones(22)),
            ),
            (
                _mapping("FailedInvokeEventCount", _ones(2), _ones(1)),
                _mapping("PolledEventCount", _ones(2), _ones(1)),
            ),
        ),
    ),
    Documented(
        "mapping-stalled",
        "mappings",
        15,
        (
            (
                _mapping("PolledEventCount", _ones(3), _ones(3)),
                _mapping("DeletedEventCount", _always(), _ones(1)),
            ),
            (
                _mapping("PolledEventCount", _ones(3), _always()),
                _mapping("DeletedEventCount", _NOTHING, _always()),
            ),
        ),
        lasting=True,
    ),
    Documented("mapping-filtered", "mappings", 1, ((_mapping("FilteredOutEventCount", _ONCE, _NOTHING),),)),
    Documented("table-system-errors", "tables", 3, _by_operation("SystemErrors"), lasting=True),
    Documented("table-throttled-requests", "tables", 3, _by_operation("ThrottledRequests"), lasting=True),
    # 100 in five minutes.
    Documented(
        "table-transaction-conflicts",
        "tables",
        5,
        ((Feed(DYNAMODB, "TransactionConflict", {"TableName": "name"}, _ones(20), _ones(19)),),),
    ),
    Documented(
        "account-user-errors", "account", 5, ((Feed(DYNAMODB, "UserErrors", {}, _ones(20), _ones(19)),),)
    ),
    Documented("schedule-target-errors", "schedules", 1, _schedule("TargetErrorCount")),
    Documented("schedule-target-throttled", "schedules", 1, _schedule("TargetErrorThrottledCount")),
    Documented("schedule-throttled", "schedules", 1, _schedule("InvocationThrottleCount")),
    Documented("schedule-dropped", "schedules", 1, _schedule("InvocationDroppedCount")),
    Documented("schedule-dead-letters", "schedules", 1, _schedule("InvocationsSentToDeadLetterCount")),
    Documented(
        "schedule-dead-letters-failed",
        "schedules",
        1,
        _schedule("InvocationsFailedToBeSentToDeadLetterCount"),
    ),
    Documented(
        "topic-delivery-failed",
        "topics",
        1,
        ((Feed(SNS, "NumberOfNotificationsFailed", {"TopicName": "name"}, _ONCE, _NOTHING),),),
    ),
    Documented("job-quarantined", "jobs", 1, _job("Quarantined")),
    Documented("job-payload-mismatch", "jobs", 1, _job("PayloadMismatch")),
    Documented(
        "job-unknown-outcome",
        "jobs",
        1,
        _job("UnknownOutcome"),
        applies=lambda it: bool(it["outside_effects"]),
    ),
    Documented(
        "job-run-missing",
        "jobs",
        1,
        _job("RunMissing"),
        applies=lambda it: bool(it["auditor"]),
        stays=_an_hour,
    ),
    Documented(
        "job-run-incomplete",
        "jobs",
        1,
        _job("RunMissingItems"),
        applies=lambda it: bool(it["auditor"]),
        stays=_an_hour,
    ),
    Documented(
        "job-run-late",
        "jobs",
        1,
        _job("RunLate"),
        applies=lambda it: bool(it["auditor"]),
        stays=_an_hour,
    ),
    Documented("job-dispatch-failed", "jobs", 1, _job("DispatchFailed")),
    Documented("job-dispatch-skipped", "jobs", 1, _job("DispatchSkipped")),
    Documented("job-duplicate-run", "jobs", 1, _job("DuplicateRun")),
    # A tenth of what the queue handed out came back, and ten in five minutes.
    Documented(
        "job-retry-rate",
        "jobs",
        15,
        (
            (
                Feed(OWN, "Retried", {"service": "name"}, _ones(2), _ones(2)),
                Feed(SQS, "NumberOfMessagesReceived", {"QueueName": "queue"}, _ones(20), _ones(22)),
            ),
            (
                Feed(OWN, "Retried", {"service": "name"}, _ones(2), _always()),
                Feed(SQS, "NumberOfMessagesReceived", {"QueueName": "queue"}, _ones(20), _ones(20)),
            ),
            (
                Feed(OWN, "Retried", {"service": "name"}, _ones(2), _ones(1)),
                Feed(SQS, "NumberOfMessagesReceived", {"QueueName": "queue"}, _ones(2), _ones(1)),
            ),
        ),
        lasting=True,
    ),
    Documented(
        "job-redrive-cap-reached",
        "jobs",
        1,
        _job("RedriveCapReached"),
        applies=lambda it: bool(it["redriver"]),
    ),
    Documented(
        "job-redrive-failed", "jobs", 1, _job("RedriveFailed"), applies=lambda it: bool(it["redriver"])
    ),
)

IDS: Final = tuple(entry.id for entry in DOCUMENTED)
