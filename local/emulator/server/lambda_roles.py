"""Lambda: what the service does with the function's role, which MiniStack does without asking IAM.

Creating a mapping or an on-failure destination, polling a queue, decrypting the environment, writing logs
and sending traces need the role's permission on AWS; without these checks a missing permission would first
show there.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from ministack.core.responses import error_response_json
from ministack.services import lambda_svc

from local.emulator.server.implied import customer_key
from local.emulator.server.permissions import role_may, role_may_all
from local.emulator.server.replacing import replace

POLLING = ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")


def may_poll(role_arn: str, queue_arn: str) -> bool:
    """Whether the role may do what a mapping does with a queue."""
    return role_may_all(role_arn, [f"sqs:{action}" for action in POLLING], queue_arn)


def _refuse(message: str) -> Any:
    return error_response_json("InvalidParameterValueException", message, 400)


def _role(function: dict[str, Any]) -> str:
    return str((function.get("config") or function).get("Role", ""))


def _checked_mapping(create: Any) -> Any:
    @wraps(create)
    def create_mapping(data: dict[str, Any]) -> Any:
        source = data.get("EventSourceArn", "")
        name = lambda_svc._resolve_name(data.get("FunctionName", ""))
        function, _ = lambda_svc._get_func_record_for_qualifier(name, None)
        if function and ":sqs:" in source:
            for action in POLLING:
                if not role_may(_role(function), f"sqs:{action}", source):
                    return _refuse(
                        f"The function execution role does not have permissions to call {action} on SQS"
                    )
        return create(data)

    return create_mapping


def _checked_destination(put: Any) -> Any:
    @wraps(put)
    def put_config(name: str, qualifier: str | None, data: dict[str, Any]) -> Any:
        target = ((data.get("DestinationConfig") or {}).get("OnFailure") or {}).get("Destination", "")
        function = lambda_svc._functions.get(name)
        if function and ":sqs:" in target and not role_may(_role(function), "sqs:SendMessage", target):
            return _refuse(
                f"The function's execution role does not have permissions to call SendMessage on {target}"
            )
        return put(name, qualifier, data)

    return put_config


def _checked_logs(emit: Any) -> Any:
    @wraps(emit)
    def emit_logs(function: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        config = function.get("config") or function
        _, _, _, region, account, *_ = config["FunctionArn"].split(":")
        group = (config.get("LoggingConfig") or {}).get("LogGroup") or f"/aws/lambda/{config['FunctionName']}"
        stream = f"arn:aws:logs:{region}:{account}:log-group:{group}:log-stream:*"
        if role_may_all(_role(function), ("logs:CreateLogStream", "logs:PutLogEvents"), stream):
            emit(function, *args, **kwargs)

    return emit_logs


def _checked_trace(trace: Any) -> Any:
    @wraps(trace)
    def trace_id(config: dict[str, Any], *args: Any, **kwargs: Any) -> str | None:
        value: str | None = trace(config, *args, **kwargs)
        actions = ("xray:PutTraceSegments", "xray:PutTelemetryRecords")
        active = (config.get("TracingConfig") or {}).get("Mode") == "Active"
        if active and not role_may_all(_role(config), actions, "*"):
            return None
        return value

    return trace_id


def _checked_environment(execute: Any) -> Any:
    @wraps(execute)
    def execute_function(function: dict[str, Any], event: Any) -> Any:
        config = function.get("config") or function
        key = customer_key(config.get("KMSKeyArn"))
        # Lambda decrypts the environment as the role itself; what it decrypts is in the encryption context.
        context = {"kms:encryptioncontext:aws:lambda:functionarn": config.get("FunctionArn", "")}
        if key and not role_may(_role(function), "kms:Decrypt", key, context):
            message = "Lambda was unable to decrypt the environment variables because KMS access was denied."
            body = {"errorMessage": message, "errorType": "KMSAccessDeniedException"}
            return {"body": body, "error": True, "log": ""}
        return execute(function, event)

    return execute_function


def install() -> None:
    """Patch the Lambda service in this process."""
    replace(lambda_svc, "_execute_function", _checked_environment)
    replace(lambda_svc, "_create_esm", _checked_mapping)
    replace(lambda_svc, "_put_event_invoke_config", _checked_destination)
    replace(lambda_svc, "_emit_lambda_logs", _checked_logs)
    replace(lambda_svc, "_xray_trace_id_for_invocation", _checked_trace)
