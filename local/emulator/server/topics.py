"""SNS: who may deliver what, and what becomes of it.

A queue takes a topic's message only if its own policy, and that of its key, admit SNS for the topic; a
function only if its policy does. Lambda gets it as an asynchronous event, with retries. MiniStack asks the
queue's policy alone and invokes a function once, and does not name a subscription that waits to be confirmed
to whoever asks for its ARN.
"""

from __future__ import annotations

import json
from functools import wraps
from typing import Any

from ministack.services import lambda_svc, sns, sqs

from local.emulator.server.monitoring.queues import sent
from local.emulator.server.monitoring.state import count
from local.emulator.server.permissions import service_may, service_may_use_key
from local.emulator.server.replacing import replace

_SERVICE = "sns.amazonaws.com"


def _counted(topic_arn: str, delivered: bool) -> None:
    name = "NumberOfNotificationsDelivered" if delivered else "NumberOfNotificationsFailed"
    count("AWS/SNS", name, {"TopicName": topic_arn.rsplit(":", 1)[-1]})


def _to_queue(deliver: Any) -> Any:
    @wraps(deliver)
    def deliver_to_queue(endpoint: str, envelope: str, raw: bool, text: str, **more: Any) -> None:
        topic_arn = more.get("topic_arn", "")
        with sqs._queues_lock:
            queue = sqs._queue_by_arn(endpoint)
            if queue is None or not _queue_admits(queue, endpoint, topic_arn):
                _counted(topic_arn, delivered=False)
                return
            deliver(endpoint, envelope, raw, text, **more)
            sent(queue, text if raw else envelope, more.get("message_attributes") if raw else None)
        _counted(topic_arn, delivered=True)

    return deliver_to_queue


def _queue_admits(queue: dict[str, Any], arn: str, topic_arn: str) -> bool:
    attributes = queue["attributes"]
    key = attributes.get("KmsMasterKeyId")
    return service_may(_SERVICE, "sqs:SendMessage", arn, attributes.get("Policy"), topic_arn) and (
        not key or service_may_use_key(_SERVICE, key, topic_arn)
    )


def _to_function(_original: Any) -> Any:
    def deliver_to_function(
        endpoint: str, envelope: str, topic_arn: str, subscription_arn: str, *_rest: Any
    ) -> None:
        function, _, _ = lambda_svc._get_func_record_for_ref(endpoint)
        admitted = function is not None and service_may(
            _SERVICE, "lambda:InvokeFunction", endpoint, function["policy"], topic_arn
        )
        if admitted:
            record = {
                "EventVersion": "1.0",
                "EventSubscriptionArn": subscription_arn,
                "EventSource": "aws:sns",
                "Sns": json.loads(envelope),
            }
            lambda_svc.invoke_async_with_retry(function, {"Records": [record]})
        _counted(topic_arn, delivered=admitted)

    return deliver_to_function


def _fanning_out(fan_out: Any) -> Any:
    @wraps(fan_out)
    def published(topic_arn: str, *rest: Any, **more: Any) -> None:
        count("AWS/SNS", "NumberOfMessagesPublished", {"TopicName": topic_arn.rsplit(":", 1)[-1]})
        fan_out(topic_arn, *rest, **more)

    return published


def _naming(subscribe: Any) -> Any:
    @wraps(subscribe)
    def subscribed(params: Any) -> Any:
        answer = subscribe(params)
        asked = sns._p(params, "ReturnSubscriptionArn") == "true"
        # MiniStack knows the subscription by now and names it the second time.
        return subscribe(params) if asked and b">pending confirmation<" in answer[2] else answer

    return subscribed


def install() -> None:
    """Patch the topic service in this process."""
    replace(sns, "_fanout", _fanning_out)
    replace(sns, "_subscribe", _naming)
    replace(sns, "_deliver_to_sqs", _to_queue)
    replace(sns, "_deliver_to_lambda", _to_function)
