"""Who may invoke a function, under which name, and what becomes of asynchronous invocations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem
from local.provider.engine.resource import Resource
from local.provider.engine.values import Values
from local.provider.resources.common import block, blocks, present, unique_suffix
from local.provider.resources.lambda_function import GONE, invoke_arn


class Permission(Resource):
    """`aws_lambda_permission`; its id is the statement's, and it is imported as `function/statement`."""

    type = "aws_lambda_permission"
    arguments = frozenset(
        {
            "action",
            "event_source_token",
            "function_name",
            "function_url_auth_type",
            "principal",
            "principal_org_id",
            "qualifier",
            "source_account",
            "source_arn",
            "statement_id",
            "statement_id_prefix",
        }
    )
    force_new = arguments
    missing = GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """AddPermission."""
        statement = planned["statement_id"] or (
            f"{planned['statement_id_prefix'] or 'terraform-'}{unique_suffix()}"
        )
        aws.client("lambda").add_permission(
            Action=planned["action"],
            FunctionName=planned["function_name"],
            Principal=planned["principal"],
            StatementId=statement,
            **present(
                EventSourceToken=planned["event_source_token"] or None,
                FunctionUrlAuthType=planned["function_url_auth_type"] or None,
                PrincipalOrgID=planned["principal_org_id"] or None,
                Qualifier=planned["qualifier"] or None,
                SourceAccount=planned["source_account"] or None,
                SourceArn=planned["source_arn"] or None,
            ),
        )
        return str(statement)

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """The statement among those of the function's policy."""
        answer = aws.client("lambda").get_policy(
            FunctionName=state["function_name"], **present(Qualifier=state["qualifier"] or None)
        )
        statements = json.loads(answer["Policy"])["Statement"]
        found = next((item for item in statements if item.get("Sid") == state["id"]), None)
        if found is None:
            return None
        principal = found["Principal"]
        conditions = {
            key.lower(): value for test in found.get("Condition", {}).values() for key, value in test.items()
        }
        return {
            "action": found["Action"],
            "event_source_token": conditions.get("lambda:eventsourcetoken"),
            "function_url_auth_type": conditions.get("lambda:functionurlauthtype"),
            "principal": principal
            if isinstance(principal, str)
            else principal.get("Service") or principal.get("AWS"),
            "principal_org_id": conditions.get("aws:principalorgid"),
            "source_account": conditions.get("aws:sourceaccount"),
            "source_arn": conditions.get("aws:sourcearn"),
            "statement_id": state["id"],
        }

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """RemovePermission."""
        aws.client("lambda").remove_permission(
            FunctionName=state["function_name"],
            StatementId=state["id"],
            **present(Qualifier=state["qualifier"] or None),
        )

    @override
    def import_state(self, aws: Aws, identifier: str) -> Values:
        """`function/statement` or `function:qualifier/statement`."""
        target, separator, statement = identifier.rpartition("/")
        if not separator:
            raise Problem(f"aws_lambda_permission: {identifier!r} is not function/statement")
        name, _, qualifier = target.partition(":")
        return {"id": statement, "function_name": name, "qualifier": qualifier or None}


class Alias(Resource):
    """`aws_lambda_alias`; its id is its ARN, and it is imported as `function/name`."""

    type = "aws_lambda_alias"
    arguments = frozenset({"description", "function_name", "function_version", "name", "routing_config"})
    force_new = frozenset({"function_name", "name"})
    missing = GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateAlias."""
        identifier: str = aws.client("lambda").create_alias(**_alias(planned))["AliasArn"]
        return identifier

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetAlias."""
        found = aws.client("lambda").get_alias(FunctionName=state["function_name"], Name=state["name"])
        weights = (found.get("RoutingConfig") or {}).get("AdditionalVersionWeights")
        return {
            "arn": found["AliasArn"],
            "description": found.get("Description"),
            "function_version": found["FunctionVersion"],
            "id": found["AliasArn"],
            "invoke_arn": invoke_arn(aws, found["AliasArn"]),
            "routing_config": [{"additional_version_weights": weights}] if weights else [],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """UpdateAlias."""
        aws.client("lambda").update_alias(**_alias(planned))

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteAlias."""
        aws.client("lambda").delete_alias(FunctionName=state["function_name"], Name=state["name"])

    @override
    def import_state(self, aws: Aws, identifier: str) -> Values:
        """`function/name`."""
        function, separator, name = identifier.partition("/")
        if not separator:
            raise Problem(f"aws_lambda_alias: {identifier!r} is not function/alias")
        return {"id": identifier, "function_name": function, "name": name}


def _alias(planned: Values) -> dict[str, Any]:
    routing = block(planned, "routing_config")
    weights = (routing and routing["additional_version_weights"]) or {}
    return {
        "Description": planned["description"] or "",
        "FunctionName": planned["function_name"],
        "FunctionVersion": planned["function_version"],
        "Name": planned["name"],
        "RoutingConfig": {"AdditionalVersionWeights": weights},
    }


class EventInvokeConfig(Resource):
    """`aws_lambda_function_event_invoke_config`; its id is `function` or `function:qualifier`."""

    type = "aws_lambda_function_event_invoke_config"
    arguments = frozenset(
        {
            "destination_config",
            "function_name",
            "maximum_event_age_in_seconds",
            "maximum_retry_attempts",
            "qualifier",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {"maximum_retry_attempts": 2}
    force_new = frozenset({"function_name", "qualifier"})
    missing = GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutFunctionEventInvokeConfig."""
        identifier = ":".join(part for part in (planned["function_name"], planned["qualifier"]) if part)
        self.update(aws, planned, planned)
        return identifier

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetFunctionEventInvokeConfig."""
        found = aws.client("lambda").get_function_event_invoke_config(**_target(state))
        destinations = found.get("DestinationConfig", {})
        sides = {
            name: [
                {"destination": item["Destination"]}
                for item in blocks(destinations.get(key))
                if item.get("Destination")
            ]
            for name, key in (("on_failure", "OnFailure"), ("on_success", "OnSuccess"))
        }
        return {
            "destination_config": [sides] if any(sides.values()) else [],
            "maximum_event_age_in_seconds": found.get("MaximumEventAgeInSeconds"),
            "maximum_retry_attempts": found.get("MaximumRetryAttempts", 2),
        }

    @override
    def plan(self, aws: Aws, prior: Values | None, planned: Values, config: Values) -> None:
        """An age that is not written is the service's own: no difference."""
        if prior is not None and config["maximum_event_age_in_seconds"] is None:
            planned["maximum_event_age_in_seconds"] = prior["maximum_event_age_in_seconds"]

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutFunctionEventInvokeConfig, which replaces the whole."""
        destinations = block(planned, "destination_config") or {}
        sides = {
            key: {"Destination": side["destination"]}
            for name, key in (("on_failure", "OnFailure"), ("on_success", "OnSuccess"))
            if (side := block(destinations, name))
        }
        aws.client("lambda").put_function_event_invoke_config(
            **_target(planned),
            DestinationConfig=sides,
            MaximumRetryAttempts=planned["maximum_retry_attempts"],
            **present(MaximumEventAgeInSeconds=planned["maximum_event_age_in_seconds"] or None),
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteFunctionEventInvokeConfig."""
        aws.client("lambda").delete_function_event_invoke_config(**_target(state))

    @override
    def import_state(self, aws: Aws, identifier: str) -> Values:
        """The function's name, and its qualifier after a colon."""
        name, _, qualifier = identifier.partition(":")
        return {"id": identifier, "function_name": name, "qualifier": qualifier or None}


class RecursionConfig(Resource):
    """`aws_lambda_function_recursion_config`; the function has one in any case, so a deletion resets it."""

    type = "aws_lambda_function_recursion_config"
    framework = True
    arguments = frozenset({"function_name", "recursive_loop"})
    force_new = frozenset({"function_name"})
    missing = GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutFunctionRecursionConfig."""
        self._put(aws, planned, planned["recursive_loop"])
        return str(planned["function_name"])

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetFunctionRecursionConfig."""
        name = state["function_name"]
        found = aws.client("lambda").get_function_recursion_config(FunctionName=name)
        return {"recursive_loop": found["RecursiveLoop"]}

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutFunctionRecursionConfig."""
        self._put(aws, planned, planned["recursive_loop"])

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """PutFunctionRecursionConfig, back to what a new function has."""
        self._put(aws, state, "Terminate")

    @override
    def import_state(self, aws: Aws, identifier: str) -> Values:
        """The function's name."""
        return {"function_name": identifier}

    @staticmethod
    def _put(aws: Aws, values: Values, loop: str) -> None:
        aws.client("lambda").put_function_recursion_config(
            FunctionName=values["function_name"], RecursiveLoop=loop
        )


def _target(values: Values) -> dict[str, Any]:
    return {"FunctionName": values["function_name"], **present(Qualifier=values["qualifier"] or None)}
