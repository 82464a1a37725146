"""A month-end played on the local CloudWatch, for the picture in the documentation.

60,000 charges: dispatched in 20 minutes, worked off in two hours, with a payment API that is slow for a
quarter of an hour and seven messages that fail for good. Numbers follow from each other; the metrics are
where AWS's services and the functions publish theirs, and the alarms are the deployed ones.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from local.emulator import Emulator

NAME: Final = "fanout-local-charge"
"""The job in `envs/local`, and its dashboard."""

CONSUMER_SECONDS: Final = 5
"""The timeout that its consumer has there."""

BEGIN: Final = timedelta(hours=18)
"""When the schedule fires, in UTC: 03:00 in Tokyo."""
BEFORE: Final = 15
MINUTES: Final = 150

_EMPLOYEES, _A_MINUTE, _SKIPPED = 60_000, 3_000, 3
_SLOW = range(45, 60)
_DEAD_AT = {22: 2, 47: 1, 52: 2, 71: 1, 96: 1}
"""Messages that fail for good, by the minute of the run."""

_USUAL, _WHILE_SLOW = 640, 210
"""Charges a minute."""

Point = dict[str, Any]


@dataclass
class Month:
    """The state of the month at one minute. `name`: of the job, as deployed; `consumer_seconds`: timeout."""

    name: str
    consumer_seconds: int
    minute: int = -BEFORE
    waiting: int = 0
    sent: int = 0
    arrivals: list[int] = field(default_factory=list)
    """Minutes in which those that wait were sent, oldest first, one entry a batch of 100."""
    random: Random = field(default_factory=lambda: Random(11))

    def step(self) -> tuple[list[Point], int]:
        """The points of this minute, and how many messages fail for good in it; then the next minute."""
        dispatched = min(_A_MINUTE, _EMPLOYEES - self.sent) if self.minute >= 0 else 0
        slow = self.minute in _SLOW
        capacity = (_WHILE_SLOW if slow else _USUAL) + self.random.randrange(-25, 25)
        dead = _DEAD_AT.get(self.minute, 0)
        done = min(self.waiting, capacity) - dead if self.waiting else 0
        self.waiting += dispatched - done - dead
        self.sent += dispatched
        self._age(dispatched, done + dead)
        points = [*self._run(dispatched, done, dead, slow), *self._parts(dispatched, done, slow)]
        self.minute += 1
        return points, dead

    def _age(self, dispatched: int, gone: int) -> None:
        self.arrivals += [self.minute] * (dispatched // 100)
        del self.arrivals[: gone // 100]
        if not self.waiting:
            self.arrivals.clear()

    def _run(self, dispatched: int, done: int, dead: int, slow: bool) -> Iterator[Point]:
        retried = self.random.randrange(60, 110) if slow else self.random.randrange(0, 4) if done else 0
        own = {
            "Dispatched": dispatched,
            "DispatchSkipped": _SKIPPED if self.minute == 7 else 0,
            "Charged": done,
            "Quarantined": dead,
            "Retried": retried,
            "UnknownOutcome": self.random.randrange(0, 5) if slow else 0,
            "Duplicate": self.random.randrange(0, 6) if slow else 0,
        }
        for metric, count in own.items():
            if count:
                yield _point("FanoutOnce", metric, {"service": self.name.rsplit("-", 1)[1]}, [count])

    def _parts(self, dispatched: int, done: int, slow: bool) -> Iterator[Point]:
        queue, table = (
            {"QueueName": f"{self.name}.fifo"},
            {"TableName": f"{self.name.rsplit('-', 1)[0]}-jobs"},
        )
        busy = done > 0
        if self.minute >= 0:
            yield _point("AWS/SQS", "ApproximateNumberOfMessagesVisible", queue, [self.waiting])
            yield _point("AWS/SQS", "ApproximateNumberOfMessagesNotVisible", queue, [100 if busy else 0])
            oldest = 60 * (self.minute - self.arrivals[0]) if self.arrivals else 0
            yield _point("AWS/SQS", "ApproximateAgeOfOldestMessage", queue, [oldest], "Seconds")
        if dispatched:
            yield _point("AWS/SQS", "NumberOfMessagesSent", queue, [dispatched])
        if busy:
            yield _point("AWS/SQS", "NumberOfMessagesDeleted", queue, [done])
            yield _point("AWS/SQS", "NumberOfMessagesReceived", queue, [done])
            yield _point("AWS/DynamoDB", "ConsumedWriteCapacityUnits", table, [4 * done])
            yield _point("AWS/DynamoDB", "ConsumedReadCapacityUnits", table, [done // 2])
            yield _point("AWS/DynamoDB", "TransactionConflict", table, [self.random.randrange(0, 9)])
            yield from self._consumer(done, slow)
        if self.minute == 0:
            group = {"ScheduleGroup": self.name}
            yield _point("AWS/Scheduler", "InvocationAttemptCount", group, [1])
        if self.minute in (0, 11):
            dispatcher = {"FunctionName": f"{self.name}-dispatcher"}
            yield _point("AWS/Lambda", "Invocations", dispatcher, [1])
            yield _point("AWS/Lambda", "ConcurrentExecutions", dispatcher, [1])

    def _consumer(self, done: int, slow: bool) -> Iterator[Point]:
        function = {"FunctionName": f"{self.name}-consumer"}
        share = 0.55 if slow else 0.12
        milliseconds = [
            1000 * self.consumer_seconds * share * self.random.uniform(0.5, 1.0) for _ in range(60)
        ]
        yield _point("AWS/Lambda", "Invocations", function, [max(1, done // 10)])
        yield _point("AWS/Lambda", "Errors", function, [0])
        yield _point("AWS/Lambda", "ConcurrentExecutions", function, [10])
        yield _point("AWS/Lambda", "Duration", function, milliseconds, "Milliseconds")


def _point(
    namespace: str, metric: str, dimensions: dict[str, str], values: list[float], unit: str = "Count"
) -> Point:
    return {
        "Namespace": namespace,
        "MetricName": metric,
        "Dimensions": dimensions,
        "Values": values,
        "Counts": [1] * len(values),
        "Unit": unit,
    }


def play(aws: Emulator, name: str, consumer_seconds: int) -> tuple[datetime, datetime]:
    """Let the month-end of the job `name` pass on the local CloudWatch; from when to when it lasted."""
    sqs = aws.client("sqs")
    dead_letters = sqs.get_queue_url(QueueName=f"{name}-dlq.fifo")["QueueUrl"]
    now = aws.alarm_clock()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    start = midnight + BEGIN - timedelta(minutes=BEFORE)
    start += timedelta(days=1) if start < now else timedelta()
    aws.advance_alarms((start - now).total_seconds())
    month, buried = Month(name, consumer_seconds), 0
    for _ in range(MINUTES):
        points, dead = month.step()
        for _letter in range(dead):
            buried += 1
            body = json.dumps({"played": buried})
            sqs.send_message(
                QueueUrl=dead_letters,
                MessageBody=body,
                MessageGroupId=str(buried),
                MessageDeduplicationId=str(buried),
            )
        if points:
            aws.publish(points)
        aws.advance_alarms(60 - aws.alarm_clock().timestamp() % 60)
    return start, start + timedelta(minutes=MINUTES)
