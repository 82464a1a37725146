"""The run row: one for a job and a period, kept for good. Where a run stands, what it sent, what the audit
found.

Every write is conditional, so that of two dispatchers on one run (a double firing, a retry beside a
straggler) only one moves it forward, and each page is counted once, whoever sent it and how often.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, cast

from job_runtime.clock import Clock, timestamp
from job_runtime.directory import Cursor
from job_runtime.identity import run_id

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    Item = Mapping[str, Any]


class RunState(StrEnum):
    """Where a run stands."""

    DISPATCHING = "dispatching"
    DISPATCHED = "dispatched"
    VERIFIED = "verified"
    INCOMPLETE = "incomplete"


class SupersededError(Exception):
    """Another dispatcher has moved this run on; what it did need not be done again."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of directory records: `expected` is how many could be sent, `sent + failed`."""

    sent: int = 0
    skipped: int = 0
    failed: int = 0

    @property
    def expected(self) -> int:
        """How many effects the ledger must show, once all is well."""
        return self.sent + self.failed

    def __add__(self, other: "Counts") -> "Counts":
        """Both counts as one."""
        return Counts(self.sent + other.sent, self.skipped + other.skipped, self.failed + other.failed)


@dataclass(frozen=True, slots=True)
class Run:
    """A run as its row says; `fires` counts its firings.

    `cursor`: behind which directory row to go on; None before the first page and after the last.
    `scheduled_time`: that of the first firing; None for a run that an audit found before it started.
    """

    job: str
    period: str
    state: RunState
    counts: Counts
    fires: int
    cursor: Cursor | None
    finished_at: str | None
    scheduled_time: str | None = None

    @property
    def run_id(self) -> str:
        """The id that the messages and ledger rows of this run carry."""
        return run_id(self.job, self.period)

    @property
    def succeeded(self) -> bool:
        """Whether everything that could be sent was, and no audit has found otherwise."""
        return bool(self.finished_at) and not self.counts.failed and self.state is not RunState.INCOMPLETE


# Words that DynamoDB keeps for itself.
_NAMES: Final = {"#state": "state", "#cursor": "cursor", "#missing": "missing"}


class Runs:
    """The run rows of the job table, as one invocation of a dispatcher or auditor sees them."""

    def __init__(self, dynamodb: "DynamoDBClient", table: str, *, clock: Clock, writer: str) -> None:
        """`writer`: a name no other invocation has; by it a write whose answer was lost is known again."""
        self._dynamodb = dynamodb
        self._table = table
        self._clock = clock
        self._writer = writer

    def read(self, job: str, period: str) -> Run | None:
        """The run; None when it never started."""
        answer = self._dynamodb.get_item(TableName=self._table, Key=_key(job, period), ConsistentRead=True)
        item = answer.get("Item")
        return _run(item) if item else None

    def begin(self, job: str, period: str, *, fire: str, scheduled_time: str) -> tuple[Run, bool]:
        """Start the run or join it where it stands; and whether `fire` is the first sign of this firing.

        `fire` names the firing; tried again, it is the same one and counted once.
        """
        item, counted = self._update(
            _key(job, period),
            "SET run_id = :run_id, #state = if_not_exists(#state, :dispatching), "
            "scheduled_time = if_not_exists(scheduled_time, :scheduled_time), "
            "started_at = if_not_exists(started_at, :now) "
            "ADD fires :one, fire_ids :fires, expected :zero, sent :zero, skipped :zero, failed :zero",
            "NOT contains(fire_ids, :fire)",
            {
                ":run_id": {"S": run_id(job, period)},
                ":dispatching": {"S": RunState.DISPATCHING},
                ":scheduled_time": {"S": scheduled_time},
                ":now": self._now(),
                ":one": {"N": "1"},
                ":zero": {"N": "0"},
                ":fire": {"S": fire},
                ":fires": {"SS": [fire]},
            },
        )
        return _run(item), counted

    def restart(self, run: Run) -> Run:
        """Set a finished run back to its beginning; where another invocation has done so, join that."""
        item, _ = self._update(
            _key(run.job, run.period),
            "SET #state = :dispatching, expected = :zero, sent = :zero, skipped = :zero, failed = :zero "
            "REMOVE #cursor, finished_at",
            "finished_at = :finished_at",
            {
                ":dispatching": {"S": RunState.DISPATCHING},
                ":zero": {"N": "0"},
                ":finished_at": {"S": run.finished_at or ""},
            },
        )
        return _run(item)

    def checkpoint(self, run: Run, counts: Counts, cursor: Cursor | None) -> Run:
        """Record that the page behind `run.cursor` was sent, with `counts`, and that `cursor` is next.

        None ends the run. Raises SupersededError when the row has moved on since `run` was read.
        """
        values: dict[str, Any] = {
            ":state": {"S": RunState.DISPATCHING if cursor else RunState.DISPATCHED},
            ":writer": {"S": self._writer},
            ":expected": {"N": str(counts.expected)},
            ":sent": {"N": str(counts.sent)},
            ":skipped": {"N": str(counts.skipped)},
            ":failed": {"N": str(counts.failed)},
        }
        condition = "attribute_not_exists(finished_at) AND "
        if run.cursor:
            condition += "#cursor = :here"
            values[":here"] = _cursor_attribute(run.cursor)
        else:
            condition += "attribute_not_exists(#cursor)"
        if cursor:
            place = ", #cursor = :next"
            values[":next"] = _cursor_attribute(cursor)
        else:
            place = ", finished_at = :now REMOVE #cursor"
            values[":now"] = self._now()
        item, moved = self._update(
            _key(run.job, run.period),
            f"SET #state = :state, writer = :writer{place} "
            "ADD expected :expected, sent :sent, skipped :skipped, failed :failed",
            condition,
            values,
        )
        after = _run(item)
        # botocore tries again when an answer is lost, and then meets its own first write.
        own = item.get("writer", {}).get("S") == self._writer and after.cursor == cursor
        if moved or (own and bool(after.finished_at) == (cursor is None)):
            return after
        raise SupersededError(f"run {run.run_id}: another dispatcher has moved it on")

    def judge(self, job: str, period: str, seen: Run | None, *, missing: int, extra: int) -> RunState | None:
        """Write an audit's verdict and return it: VERIFIED for a run that finished with nothing missing.

        `seen`: the run as read before the audit. When its state has changed since, nothing is written and
        None returned.
        """
        verified = seen is not None and seen.finished_at is not None and not missing
        verdict = RunState.VERIFIED if verified else RunState.INCOMPLETE
        values: dict[str, Any] = {
            ":state": {"S": verdict},
            ":now": self._now(),
            ":missing": {"N": str(missing)},
            ":extra": {"N": str(extra)},
        }
        condition = "attribute_not_exists(#state)"
        if seen:
            condition = "#state = :seen"
            values[":seen"] = {"S": seen.state}
        _, written = self._update(
            _key(job, period),
            "SET #state = :state, audited_at = :now, #missing = :missing, extra = :extra",
            condition,
            values,
        )
        return verdict if written else None

    def _now(self) -> dict[str, str]:
        return {"S": timestamp(self._clock.now())}

    def _update(
        self, key: dict[str, Any], expression: str, condition: str, values: dict[str, Any]
    ) -> "tuple[Item, bool]":
        """The row after the update and True; the row as it stands and False when the condition says no."""
        try:
            answer = self._dynamodb.update_item(
                TableName=self._table,
                Key=key,
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeNames={
                    alias: name for alias, name in _NAMES.items() if alias in expression + condition
                },
                ExpressionAttributeValues=values,
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._dynamodb.exceptions.ConditionalCheckFailedException as refused:
            stored: Item = cast("Item", refused.response.get("Item", {}))
            return stored, False
        return answer["Attributes"], True


def _key(job: str, period: str) -> dict[str, Any]:
    return {"pk": {"S": f"run#{job}"}, "sk": {"S": period}}


def _cursor_attribute(cursor: Cursor) -> dict[str, Any]:
    return {"M": {"pk": {"S": cursor.pk}, "sk": {"S": cursor.sk}}}


def _run(item: "Item") -> Run:
    def number(name: str) -> int:
        return int(item.get(name, {"N": "0"})["N"])

    cursor = item.get("cursor")
    return Run(
        job=item["pk"]["S"].removeprefix("run#"),
        period=item["sk"]["S"],
        state=RunState(item["state"]["S"]),
        counts=Counts(sent=number("sent"), skipped=number("skipped"), failed=number("failed")),
        fires=number("fires"),
        cursor=Cursor(cursor["M"]["pk"]["S"], cursor["M"]["sk"]["S"]) if cursor else None,
        finished_at=item["finished_at"]["S"] if "finished_at" in item else None,
        scheduled_time=item["scheduled_time"]["S"] if "scheduled_time" in item else None,
    )
