"""EventBridge Scheduler with its own clock: zones, keywords and the role, none of which MiniStack honours.

The clock starts at the real time and can be moved forward, so that a monthly schedule fires now. Each
schedule fires at its own occurrences, in its own zone; `<aws.scheduler.*>` in the input is replaced. The
target is invoked only if the role admits the service for the schedule's group and may invoke it, otherwise
the event goes to the schedule's dead-letter queue.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ministack.core import iam_evaluator, responses
from ministack.services import eventbridge, lambda_svc, scheduler, sqs

from local.emulator.server.implied import customer_key
from local.emulator.server.monitoring.state import count
from local.emulator.server.permissions import role_may, service_may_assume
from local.emulator.server.replacing import replace

_TICK_SECONDS = 0.5
_INSTANT = timedelta(microseconds=1)
_log = logging.getLogger("local.emulator.schedules")
_lock = threading.RLock()
_offset = timedelta()
_served_until: dict[tuple[str, str, str], datetime] = {}
_fires: Counter[str] = Counter()


def now() -> datetime:
    """Return the scheduler's time (UTC)."""
    return datetime.now(UTC) + _offset


def next_occurrence(expression: str, zone: ZoneInfo, after: datetime, created: datetime) -> datetime | None:
    """Return the first time (UTC) later than AFTER at which EXPRESSION falls due, or None.

    A local time that the zone skips does not fire, one that it repeats fires once (EventBridge Scheduler,
    daylight saving time). A rate counts from the schedule's creation.
    """
    if match := re.fullmatch(r"at\((.+)\)", expression):
        moment: datetime = datetime.fromisoformat(match[1]).replace(tzinfo=zone).astimezone(UTC)
        return moment if moment > after else None
    if (seconds := eventbridge._parse_rate_seconds(expression)) is not None:
        periods = (after - created) // timedelta(seconds=seconds) + 1
        return created + int(max(periods, 1)) * timedelta(seconds=int(seconds))
    fields = eventbridge._parse_cron_fields(expression)
    if fields is None:
        raise ValueError(f"schedule expression {expression}: write at(…), rate(…) or cron(…) with six fields")
    wall = after.astimezone(zone).replace(tzinfo=UTC)  # the fields speak of wall-clock time
    while (wall := eventbridge._cron_next_fire(fields, wall)) is not None:
        moment = wall.replace(tzinfo=zone).astimezone(UTC)
        exists = moment.astimezone(zone).replace(tzinfo=UTC) == wall
        if exists and moment > after:
            return moment
    return None


def _created(schedule: dict[str, Any]) -> datetime:
    return datetime.fromtimestamp(schedule["CreationDate"], UTC)


def _next(schedule: dict[str, Any], after: datetime) -> datetime | None:
    zone = ZoneInfo(schedule.get("ScheduleExpressionTimezone") or "UTC")
    return next_occurrence(schedule["ScheduleExpression"], zone, after, _created(schedule))


def _in_scope(account: str, region: str) -> None:
    responses.set_request_account_id(account)
    responses.set_request_region(region)
    iam_evaluator.pin_request_origin("127.0.0.1", True)  # as a service calls: over TLS


def _rendered(text: str, schedule: dict[str, Any], moment: datetime) -> str:
    values = {
        "schedule-arn": schedule["Arn"],
        "scheduled-time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "execution-id": str(uuid.uuid4()),
        "attempt-number": "1",
    }
    return re.sub(r"<aws\.scheduler\.([a-z-]+)>", lambda match: values.get(match[1], match[0]), text)


def _may_decrypt(role: str, schedule: dict[str, Any]) -> bool:
    """Whether the role may read the schedule's input: Scheduler decrypts it as the role itself."""
    key = customer_key(schedule.get("KmsKeyArn"))
    context = {"kms:encryptioncontext:aws:scheduler:schedule:arn": schedule["Arn"]}
    return key is None or role_may(role, "kms:Decrypt", key, context)


def _deliver(schedule: dict[str, Any], moment: datetime) -> None:
    target = schedule["Target"]
    group_arn = scheduler._group_arn(schedule["GroupName"])
    event = _rendered(target.get("Input") or "{}", schedule, moment)
    role, arn = target["RoleArn"], target["Arn"]
    _fires[f"{schedule['GroupName']}/{schedule['Name']}"] += 1

    def counted(metric: str) -> None:
        count("AWS/Scheduler", metric, {"ScheduleGroup": schedule["GroupName"]})

    counted("InvocationAttemptCount")
    if (
        service_may_assume(role, "scheduler.amazonaws.com", group_arn)
        and _may_decrypt(role, schedule)
        and role_may(role, "lambda:InvokeFunction", arn)
    ):
        function, _, _ = lambda_svc._get_func_record_for_ref(arn)
        if function is not None:
            lambda_svc.invoke_async_with_retry(function, json.loads(event))
            return
    counted("TargetErrorCount")
    counted("InvocationDroppedCount")
    dead_letters = (target.get("DeadLetterConfig") or {}).get("Arn")
    queue = sqs._queue_by_arn(dead_letters) if dead_letters else None
    if queue is None or not role_may(role, "sqs:SendMessage", str(dead_letters)):
        if dead_letters:
            counted("InvocationsFailedToBeSentToDeadLetterCount")
        _log.error(
            "schedule %s: dropped, %s could not be invoked and no queue may be told", schedule["Name"], arn
        )
        return
    counted("InvocationsSentToDeadLetterCount")
    sqs._act_send_message(
        {
            "QueueUrl": queue["url"],
            "MessageBody": event,
            "MessageAttributes": {
                "ERROR_CODE": {"DataType": "String", "StringValue": "TargetNotInvoked"},
                "SCHEDULE_ARN": {"DataType": "String", "StringValue": schedule["Arn"]},
                "TARGET_ARN": {"DataType": "String", "StringValue": arn},
            },
        },
        queue["url"],
    )


def _enabled() -> Iterator[tuple[tuple[str, str, str], dict[str, Any]]]:
    for key, schedule in list(scheduler._schedules._data.items()):
        if schedule.get("State") == "ENABLED":
            yield key, schedule


def tick() -> None:
    """Fire every occurrence that fell due since the last call."""
    with _lock:
        until = now()
        for key, schedule in _enabled():
            _in_scope(key[0], key[1])
            since = _served_until.setdefault(key, min(_created(schedule), until))
            while (moment := _next(schedule, since)) is not None and moment <= until:
                _deliver(schedule, moment)
                since = moment
            _served_until[key] = until


def fire(name: str, times: int) -> dict[str, Any]:
    """Move the clock to the next occurrence of the schedule `GROUP/NAME` and fire it TIMES times in all.

    More than once is what "at least once" allows. What falls due at that very time fires too; what would have
    fallen due before is passed over. Returns the occurrence; LookupError for an unknown name.
    """
    global _offset  # noqa: PLW0603 - the clock is this process's
    with _lock:
        for key, schedule in _enabled():
            if key[2] == name:
                _in_scope(key[0], key[1])
                moment = _next(schedule, now())
                if moment is None:
                    raise LookupError(f"schedule {name} has no occurrence left")
                _offset = moment - datetime.now(UTC)
                _served_until.update({other: moment - _INSTANT for other, _ in _enabled()})
                tick()
                for _ in range(times - 1):
                    _deliver(schedule, moment)
                return {"scheduled_time": moment.isoformat(), "fires": dict(_fires)}
    raise LookupError(f"no enabled schedule {name}")


def fires() -> dict[str, int]:
    """Return how often each schedule (`group/name`) has fired."""
    return dict(_fires)


def _run() -> None:
    while True:
        time.sleep(_TICK_SECONDS)
        try:
            tick()
        except Exception:  # noqa: BLE001 - one broken schedule must not stop the others
            _log.exception("a schedule could not be served")


def install() -> None:
    """Take the place of MiniStack's own ticker."""
    replace(scheduler, "start_scheduler", lambda _: threading.Thread(target=_run, daemon=True).start)
