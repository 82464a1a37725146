"""HCL evaluated by tfparse, as the same model that rules see of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from policies.plan import UNKNOWN, Block, Node, Plan, Resource
from policies.plan.addresses import module_path, parts
from policies.plan.locate import shown
from policies.plan.resource import ModulePath, ModuleStep, Place
from policies.source import repeated
from policies.source.prepare import PROBE, Prepared, prepared
from policies.source.references import SourceReferences
from policies.source.repeated import NothingKnown, unknown_blocks
from policies.source.variables import Variables

Evaluated: TypeAlias = Mapping[str, list[Mapping[str, Any]]]
# Arguments of Terraform's own, which no provider sees.
_META = ("__tfmeta", "count", "for_each", "depends_on", "lifecycle", "provider", "provisioner", "connection")


class SourceError(Exception):
    """A folder that cannot be judged; the message is one line."""


def read_source(root: Path, variables: Mapping[str, Any] | None = None) -> Plan:
    """The resources that a root module's HCL describes. Raises SourceError.

    `variables` are values of the root's variables; the rest have their defaults.
    """
    if not root.is_dir():
        raise SourceError(f"{root}: no such folder; name the folder of a root module")
    if not any(root.glob("*.tf")):
        raise SourceError(f"{root}: holds no .tf file, so nothing can be judged")
    copy, evaluated = _evaluate(root, variables or {})
    table = Variables(evaluated)
    resources, raw = [], {}
    for kind, items in evaluated.items():
        for item in items:
            resource = _resource(kind, item, table, lambda meta: _place(meta, root, copy))
            if resource is not None:
                resources.append(resource)
                raw[resource.address] = item
    resources += _left_out(evaluated, copy, resources)
    if not any(resource.judged for resource in resources):
        raise SourceError(f"{root}: describes no resources, so nothing can be judged")
    return Plan(shown(root), resources, SourceReferences(resources, raw))


def _evaluate(root: Path, variables: Mapping[str, Any]) -> tuple[Prepared, Evaluated]:
    try:
        import tfparse  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415 - only source mode needs it
    except ImportError as error:
        raise SourceError("source mode needs tfparse; install requirements/gate.txt") from error
    with prepared(root, variables) as copy:
        try:
            evaluated: Evaluated = tfparse.load_from_path(
                str(copy.root), stop_on_hcl_error=True, vars_paths=copy.variable_files
            )
        except tfparse.ParseError as error:
            told = str(error).replace(f"{copy.root}/", "").rpartition("TerraformConverter: ")[2]
            raise SourceError(f"{root}: {' '.join(told.split())}") from error
    return copy, evaluated


def _resource(
    kind: str,
    item: Mapping[str, Any],
    variables: Variables,
    place: Callable[[Mapping[str, Any]], Place | None],
) -> Resource | None:
    meta = item.get("__tfmeta", {})
    mode = {"resource": "managed", "data": "data"}.get(meta.get("type"))
    names = parts(meta.get("path", "")) if mode else None
    if mode is None or not names:
        return None
    width = 2 if mode == "managed" else 3
    path = meta["path"]
    modules = names[:-width]
    within = module_path(".".join(_written(part.name, part.key) for part in modules)) or ()
    values = _fields({name: value for name, value in item.items() if name not in _META}, within, variables)
    last = names[-1]
    return Resource(
        path,
        within,
        mode,
        kind,
        last.name,
        last.key,
        Block(values),
        judged=mode == "managed",
        place=place(meta),
    )


def _left_out(evaluated: Evaluated, copy: Prepared, resources: Sequence[Resource]) -> Iterator[Resource]:
    """What tfparse has left out because it cannot tell how many there are."""
    there = {(resource.module, resource.label) for resource in resources}
    for item in evaluated.get("locals", []):
        names = parts(item["__tfmeta"]["path"]) or ()
        module = module_path(".".join(_written(part.name, part.key) for part in names[:-1])) or ()
        for name, block in copy.repeated.items():
            if name not in item or not _unevaluated(item[name]):
                continue
            for path, inner in unknown_blocks(block):
                within = (*module, *(ModuleStep(step) for step in path))
                if (within, f"{inner.type}.{inner.name}") not in there:
                    yield _unknown(within, inner)


def _unknown(module: ModulePath, block: repeated.Block) -> Resource:
    steps = "".join(f"module.{_written(step.name, step.key)}." for step in module)
    return Resource(
        f"{steps}{block.type}.{block.name}[*]",
        module,
        "managed",
        block.type,
        block.name,
        "*",
        Block(NothingKnown()),
        place=block.place,
    )


def _unevaluated(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and "__attribute__" in value)


def _written(name: str, key: str | int | None) -> str:
    if key is None:
        return name
    return f'{name}["{key}"]' if isinstance(key, str) else f"{name}[{key}]"


def _place(meta: Mapping[str, Any], root: Path, copy: Prepared) -> Place | None:
    filename = meta.get("filename")
    if not filename:
        return None
    return Place(shown(root / filename), copy.original_line(filename, int(meta.get("line_start", 1))))


def _fields(raw: Mapping[str, Any], module: ModulePath, variables: Variables) -> dict[str, Node]:
    """The values of a block; a dynamic block is unknown where its for_each is."""
    probes = {name: value for name, value in raw.items() if name.startswith(PROBE)}
    fields = {
        name: _value(value, module, variables, top=True)
        for name, value in raw.items()
        if name not in probes and name != "__tfmeta"
    }
    for name, value in probes.items():
        block = name.removeprefix(PROBE).rpartition("_")[0]
        if _unevaluated(value) or (value and block not in fields):
            fields[block] = UNKNOWN
    return fields


def _value(value: Any, module: ModulePath, variables: Variables, *, top: bool) -> Node:
    """A value of tfparse's: references that it cannot evaluate are unknown, and so are nulls inside lists."""
    if isinstance(value, dict):
        if "__attribute__" in value:
            return variables.null_or_unknown(value["__attribute__"], module)
        return _fields(value, module, variables)
    if isinstance(value, list):
        return [_value(item, module, variables, top=False) for item in value]
    if value is None and not top:
        return UNKNOWN
    if isinstance(value, str | int | float) or value is None:
        return value
    return UNKNOWN
