"""An alarm's message on its way to a topic: who may publish, and with which key.

CloudWatch drops what the topic's policy or key does not admit; the caller of the API never hears of it. Here
each refusal is among those of `/_fanout/state`, and in the alarm's history as a failed action.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from typing import Any

from ministack.core.responses import new_uuid
from ministack.services import cloudwatch, sns

from local.cloudwatch.notifications import Notification
from local.cloudwatch.reasons import moment
from local.emulator.server.monitoring import clock
from local.emulator.server.monitoring.state import remember
from local.emulator.server.permissions import service_may, service_may_use_key

_SERVICE = "cloudwatch.amazonaws.com"
_log = logging.getLogger("local.emulator.monitoring")
_done: deque[dict[str, Any]] = deque(maxlen=10_000)


def outcomes() -> list[dict[str, Any]]:
    """Return what became of each message: alarm, state, action, time, and why it was dropped (or null)."""
    return list(_done)


def publish(notification: Notification) -> None:
    """Publish a message, or drop it where CloudWatch would."""
    why = _refusal(notification)
    if why is None:
        sns._fanout(notification.action, new_uuid(), notification.message, notification.subject)
    else:
        _log.warning("alarm %s: nothing published to %s: %s", notification.alarm, notification.action, why)
    message = json.loads(notification.message)
    _done.append(
        {
            "alarm": notification.alarm,
            "state": message["NewStateValue"],
            "action": notification.action,
            "at": moment(clock.now()),
            "dropped": why,
        }
    )
    verb = "Successfully executed" if why is None else "Failed to execute"
    summary = f"{verb} action {notification.action}" + ("" if why is None else f". Received error: {why}")
    remember(
        notification.alarm,
        notification.alarm in cloudwatch._composite_alarms,
        "Action",
        summary,
        json.dumps({"actionState": "Succeeded" if why is None else "Failed", "error": why}),
    )


def _refusal(notification: Notification) -> str | None:
    topic = sns._topic_by_arn_any_scope(notification.action)
    if topic is None:
        return "there is no such topic; other actions than topics are not served by the local AWS"
    attributes = topic.get("attributes", {})
    source = notification.alarm_arn
    if not service_may(_SERVICE, "sns:Publish", notification.action, attributes.get("Policy"), source):
        return f"the topic's policy does not let {_SERVICE} publish"
    key = attributes.get("KmsMasterKeyId")
    if key and not service_may_use_key(_SERVICE, key, source):
        return f"the key {key} does not let {_SERVICE} use it"
    return None
