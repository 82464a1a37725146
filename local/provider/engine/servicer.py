"""Terraform's plugin protocol 6, answered from the schema and the declarations.

Answers to plan and apply set `legacy_type_system`, as the genuine provider does: without it Terraform refuses
planned values for arguments that are neither computed nor written, which is what defaults are.
"""

from __future__ import annotations

import functools
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tf.gen import tfplugin_pb2 as pb
from tf.gen import tfplugin_pb2_grpc as rpc
from typing_extensions import override

from local.provider.engine import schema
from local.provider.engine.aws import Aws, check_configuration
from local.provider.engine.errors import Problem, attribute_path, diagnostics, not_implemented
from local.provider.engine.plan import Change, plan, unimplemented
from local.provider.engine.resource import DataSource, Resource
from local.provider.engine.schema import Block, conform
from local.provider.engine.state import settle, split_tags
from local.provider.engine.validation import Planned, check
from local.provider.engine.values import UNKNOWN, Values, decode, encode, wholly_known, without_unknowns
from local.provider.rules import PLANNED, VALIDATED

_IMPORT_REGION = re.compile(r"(?P<id>.+)@(?P<region>[a-z]{2}(?:-[a-z]+)+-\d)")
Method = Callable[[Any, Any, Any], Any]


def _answers(response: Callable[..., Any]) -> Callable[[Method], Method]:
    """Turn every error of a method into a diagnostic of its response."""

    def decorate(method: Method) -> Method:
        @functools.wraps(method)
        def answer(self: Any, request: Any, context: Any) -> Any:
            try:
                return method(self, request, context)
            except Problem as problem:
                return response(diagnostics=[problem.diagnostic()])
            except Exception as error:  # noqa: BLE001 - it must reach the user through Terraform
                return response(diagnostics=[_unexpected(error, method.__name__).diagnostic()])

        return answer

    return decorate


def _unexpected(error: Exception, during: str) -> Problem:
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - loaded by the failed call

    if isinstance(error, ClientError):
        detail = error.response.get("Error", {})
        return Problem(f"{error.operation_name}: {detail.get('Code')}", str(detail.get("Message")))
    if isinstance(error, BotoCoreError):
        return Problem(f"the endpoint did not answer as AWS does ({type(error).__name__})", str(error))
    traceback.print_exception(error, file=sys.stderr)
    return Problem(f"the stand-in for hashicorp/aws failed in {during}: {type(error).__name__}", str(error))


class Servicer(rpc.ProviderServicer):  # type: ignore[misc]
    """The provider. One server serves several connections, each with a configuration of its own."""

    def __init__(
        self,
        resources: Mapping[str, Resource],
        data_sources: Mapping[str, DataSource],
        environment: Mapping[str, str],
    ) -> None:
        self._resources = resources
        self._data_sources = data_sources
        self._environment = environment
        self._configured: dict[str, Aws] = {}

    # Schema and configuration

    @override
    def GetMetadata(self, request: Any, context: Any) -> Any:
        """The names of all types."""
        known = schema.load()
        return pb.GetMetadata.Response(
            resources=[pb.GetMetadata.ResourceMetadata(type_name=name) for name in known.resources],
            data_sources=[pb.GetMetadata.DataSourceMetadata(type_name=name) for name in known.data_sources],
        )

    @override
    def GetProviderSchema(self, request: Any, context: Any) -> Any:
        """The schema of the provider and of all types."""
        return schema.message()

    @override
    def GetFunctions(self, request: Any, context: Any) -> Any:
        """No provider functions."""
        return pb.GetFunctions.Response()

    @override
    @_answers(pb.ValidateProviderConfig.Response)
    def ValidateProviderConfig(self, request: Any, context: Any) -> Any:
        """Nothing to refuse before the configuration is known: ConfigureProvider checks it."""
        return pb.ValidateProviderConfig.Response()

    @override
    @_answers(pb.ConfigureProvider.Response)
    def ConfigureProvider(self, request: Any, context: Any) -> Any:
        """Keep the configuration of this connection, or refuse it."""
        config = conform(decode(request.config.msgpack), schema.load().provider)
        problems = list(check_configuration(config, self._environment))
        if not problems:
            peer = context.peer()
            self._configured[peer] = replace(Aws.configured(config, self._environment), peer=peer)
        return pb.ConfigureProvider.Response(diagnostics=diagnostics(problems))

    @override
    def StopProvider(self, request: Any, context: Any) -> Any:
        """Calls in flight are short: they end by themselves."""
        return pb.StopProvider.Response()

    def _aws(self, context: Any, values: Values | None = None) -> Aws:
        aws = self._configured.get(context.peer())
        if aws is None:
            raise Problem("provider aws is not configured")
        region = (values or {}).get("region")
        return aws.in_region(region if isinstance(region, str) else None)

    def _resource(self, name: str) -> Resource:
        if name not in self._resources:
            raise not_implemented(name)
        return self._resources[name]

    # Validation

    @override
    @_answers(pb.ValidateResourceConfig.Response)
    def ValidateResourceConfig(self, request: Any, context: Any) -> Any:
        """The rules that the genuine provider checks before it plans."""
        name = request.type_name
        block = schema.load().resources[name]
        config = conform(decode(request.config.msgpack), block)
        return pb.ValidateResourceConfig.Response(
            diagnostics=diagnostics(check(name, VALIDATED[name], config, block))
        )

    @override
    @_answers(pb.ValidateDataResourceConfig.Response)
    def ValidateDataResourceConfig(self, request: Any, context: Any) -> Any:
        """As for resources."""
        name = f"data.{request.type_name}"
        block = schema.load().data_sources[request.type_name]
        config = conform(decode(request.config.msgpack), block)
        return pb.ValidateDataResourceConfig.Response(
            diagnostics=diagnostics(check(name, VALIDATED[name], config, block))
        )

    # State

    @override
    @_answers(pb.UpgradeResourceState.Response)
    def UpgradeResourceState(self, request: Any, context: Any) -> Any:
        """The stored state in the shape of the schema: names that it does not know are dropped."""
        block = schema.load().resources[request.type_name]
        stored = json.loads(request.raw_state.json) if request.raw_state.json else None
        return pb.UpgradeResourceState.Response(upgraded_state=_wire(stored and conform(stored, block)))

    @override
    @_answers(pb.ReadResource.Response)
    def ReadResource(self, request: Any, context: Any) -> Any:
        """What is there now; null when it is gone."""
        resource = self._resource(request.type_name)
        block = schema.load().resources[request.type_name]
        state = conform(decode(request.current_state.msgpack), block)
        found = _read(resource, self._aws(context, state), block, state)
        return pb.ReadResource.Response(new_state=_wire(found), private=request.private)

    @override
    @_answers(pb.ImportResourceState.Response)
    def ImportResourceState(self, request: Any, context: Any) -> Any:
        """The attributes that the id gives; Terraform reads the rest right after."""
        resource = self._resource(request.type_name)
        block = schema.load().resources[request.type_name]
        aws = self._aws(context)
        identifier = request.id
        if "region" in block.attributes and (match := _IMPORT_REGION.fullmatch(identifier)):
            identifier, aws = match["id"], aws.in_region(match["region"])
        state = conform({"region": aws.region, **resource.import_state(aws, identifier)}, block)
        return pb.ImportResourceState.Response(
            imported_resources=[
                pb.ImportResourceState.ImportedResource(type_name=request.type_name, state=_wire(state))
            ]
        )

    # Changes

    @override
    @_answers(pb.PlanResourceChange.Response)
    def PlanResourceChange(self, request: Any, context: Any) -> Any:
        """The planned state. A deletion is planned by Terraform itself."""
        resource = self._resource(request.type_name)
        block = schema.load().resources[request.type_name]
        proposed = decode(request.proposed_new_state.msgpack)
        if proposed is None:
            return pb.PlanResourceChange.Response(
                planned_state=request.proposed_new_state, legacy_type_system=True
            )
        prior = decode(request.prior_state.msgpack)
        config = conform(decode(request.config.msgpack), block)
        refusals = list(unimplemented(resource, config, block))
        if refusals:
            return pb.PlanResourceChange.Response(diagnostics=diagnostics(refusals))
        change = Change(prior and conform(prior, block), conform(proposed, block), config)
        planned, replacing = plan(resource, block, self._aws(context, config), change)
        outcome = Planned(change.prior, config, planned)
        problems = [problem for rule in PLANNED.get(resource.type, ()) for problem in rule(outcome)]
        if problems:
            return pb.PlanResourceChange.Response(diagnostics=diagnostics(problems))
        return pb.PlanResourceChange.Response(
            planned_state=_wire(planned),
            requires_replace=[attribute_path(path.partition(".")[0]) for path in replacing],
            planned_private=request.prior_private,
            legacy_type_system=True,
        )

    @override
    @_answers(pb.ApplyResourceChange.Response)
    def ApplyResourceChange(self, request: Any, context: Any) -> Any:
        """Carry out what was planned, and answer with what is there afterwards."""
        resource = self._resource(request.type_name)
        block = schema.load().resources[request.type_name]
        prior = decode(request.prior_state.msgpack)
        planned = decode(request.planned_state.msgpack)
        prior = prior and conform(prior, block)
        planned = planned and conform(planned, block)
        state, problems = prior, []
        try:
            aws = self._aws(context, planned or prior)
            for state in _change(resource, aws, block, prior, planned):  # noqa: B007 - the last one counts
                pass
        except Problem as problem:
            problems.append(problem)
        except Exception as error:  # noqa: BLE001 - as in `_answers`, but the state must not be lost
            problems.append(_unexpected(error, "ApplyResourceChange"))
        return pb.ApplyResourceChange.Response(
            new_state=_wire(state), diagnostics=diagnostics(problems), legacy_type_system=True
        )

    # Data sources

    @override
    @_answers(pb.ReadDataSource.Response)
    def ReadDataSource(self, request: Any, context: Any) -> Any:
        """The data source's attributes beside its arguments."""
        source = self._data_sources[request.type_name]
        block = schema.load().data_sources[request.type_name]
        config = conform(decode(request.config.msgpack), block)
        if not wholly_known(config):
            raise Problem(f"data.{source.type} was read with a value that is not known yet")
        return pb.ReadDataSource.Response(
            state=_wire(conform({**config, **source.read(self._aws(context, config), config)}, block))
        )


def _wire(values: Any) -> Any:
    return pb.DynamicValue(msgpack=encode(values))


def _change(
    resource: Resource, aws: Aws, block: Block, prior: Values | None, planned: Values | None
) -> Iterator[Values | None]:
    """Carry out a change; yields the state after each step, which must outlive a failure of the next."""
    if planned is None:
        if prior is not None:
            _delete(resource, aws, prior)
        yield None
        return
    if prior is None:
        wanted = conform(without_unknowns(planned), block)
        state: Values = conform({**wanted, "id": resource.create(aws, wanted)}, block)
        yield state
    else:
        state = {
            name: prior[name] if value is UNKNOWN else without_unknowns(value)
            for name, value in planned.items()
        }
        _update(resource, aws, prior, state)
    found = _read(resource, aws, block, state)
    if found is None:
        raise Problem(f"{resource.type} is gone right after it was applied")
    yield found


def _gone(resource: Resource, error: Exception) -> bool:
    code = getattr(error, "response", {}).get("Error", {}).get("Code")
    return code in resource.missing


def _read(resource: Resource, aws: Aws, block: Block, state: Values) -> Values | None:
    from botocore.exceptions import ClientError  # noqa: PLC0415 - boto3 is loaded by the first call

    try:
        observed = resource.read(aws, state)
    except ClientError as error:
        if _gone(resource, error):
            return None
        raise
    if observed is None:
        return None
    if "tags_all" in block.attributes and "tags_all" in observed:
        observed = {**observed, **split_tags(observed["tags_all"], state, aws.default_tags)}
    return settle(conform({**state, **observed}, block), state, block, resource.equivalent)


def _update(resource: Resource, aws: Aws, prior: Values, state: Values) -> None:
    if "tags_all" in state:
        old, new = prior["tags_all"] or {}, state["tags_all"] or {}
        changed = {key: value for key, value in new.items() if old.get(key) != value}
        removed = sorted(set(old) - set(new))
        if changed or removed:
            resource.tag(aws, state, changed, removed)
    names = [
        name for name in state if name not in ("tags", "tags_all", "timeouts") and state[name] != prior[name]
    ]
    if names:
        resource.update(aws, prior, state)


def _delete(resource: Resource, aws: Aws, prior: Values) -> None:
    from botocore.exceptions import ClientError  # noqa: PLC0415 - as above

    try:
        resource.delete(aws, prior)
    except ClientError as error:
        if not _gone(resource, error):
            raise
