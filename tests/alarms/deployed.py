"""What is deployed and watched, read from the state: names and limits by kind and key."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.alarms.documented import Thing

Watched = dict[str, dict[str, Thing]]
"""Things by kind (as `Documented.kind`) and key."""

_JOB = "module.charge"
_QUEUE = f"{_JOB}.module.queue.module.queue"


def watched(state: Mapping[str, Any]) -> Watched:
    """The things of the root in `root/`. `state`: as `terraform show -json` has it."""
    values = dict(_resources(state["values"]["root_module"]))
    queue = values[f"{_QUEUE}.aws_sqs_queue.this"]
    dead = values[f"{_QUEUE}.aws_sqs_queue.dead_letter"]
    mapping = values[f"{_QUEUE}.aws_lambda_event_source_mapping.this[0]"]
    schedules = values[f"{_JOB}.module.schedule.aws_scheduler_schedule_group.this"]
    functions = {
        "dispatcher": f"{_JOB}.module.dispatcher",
        "consumer": f"{_JOB}.module.consumer",
        "alone": "module.alone",
        "auditor": f"{_JOB}.module.auditor[0]",
        "redriver": f"{_JOB}.module.redriver[0]",
    }
    failures = {
        "dispatch": f"{_JOB}.module.dispatch_failures",
        "schedule": f"{_JOB}.module.schedule.module.failures[0]",
    }
    environment = values[f"{functions['consumer']}.aws_lambda_function.this"]["environment"][0]["variables"]
    return {
        "queues": {"main": {**_queue(queue), "fifo": queue["fifo_queue"]}},
        "dead_letter_queues": {"main": _queue(dead)},
        "mappings": {"main": {"uuid": mapping["uuid"]}},
        "functions": {
            key: {
                **_function(values, address, asynchronous=key not in {"consumer", "alone"}),
                "mapped": key == "consumer",
            }
            for key, address in functions.items()
        },
        "failure_queues": {
            key: _queue(values[f"{address}.aws_sqs_queue.this"]) for key, address in failures.items()
        },
        "schedules": {"main": {"name": schedules["name"]}},
        "jobs": {
            "main": {
                "name": environment["POWERTOOLS_SERVICE_NAME"],
                "namespace": environment["POWERTOOLS_METRICS_NAMESPACE"],
                "queue": queue["name"],
                "outside_effects": True,
                "auditor": True,
                "redriver": True,
            }
        },
        "tables": {
            key: {"name": values[f'module.table["{key}"].aws_dynamodb_table.this']["name"]}
            for key in ("jobs", "directory", "idempotency")
        },
        "topics": {
            key: {"name": values[f'aws_sns_topic.alerts["{key}"]']["name"]}
            for key in ("critical", "warning", "info")
        },
        "account": {"account": {}},
    }


def _queue(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": values["name"],
        "retention": values["message_retention_seconds"],
        "message_bytes": values["max_message_size"],
    }


def _function(values: Mapping[str, Any], address: str, *, asynchronous: bool) -> dict[str, Any]:
    function = values[f"{address}.aws_lambda_function.this"]
    reserved = function["reserved_concurrent_executions"]
    assert (f"{address}.aws_lambda_function_event_invoke_config.this[0]" in values) is asynchronous
    return {
        "name": function["function_name"],
        "timeout": function["timeout"],
        "reserved_concurrency": None if reserved is None or reserved < 0 else reserved,
        "asynchronous": asynchronous,
        "invokes_itself": f"{address}.aws_lambda_function_recursion_config.this[0]" in values,
    }


def _resources(module: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for resource in module.get("resources", ()):
        yield resource["address"], resource["values"]
    for child in module.get("child_modules", ()):
        yield from _resources(child)
