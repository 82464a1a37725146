"""Generate the schema file from the provider's published CDK Terrain bindings.

    npm pack @cdktn/provider-aws@24.1.0
    python -m local.provider.schema.generate cdktn-provider-aws-24.1.0.tgz

Each compiled binding embeds the TypeScript it was generated from in its source map. There every argument and
attribute has a comment `// name - computed: …, optional: …, required: …`, followed by a field or getter that
shows its type; the HCL conversion says of each nested value whether it is a list, a set or a single block.
Only those facts are kept.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from local.provider.schema import DATA_SOURCES, RESOURCES, SCHEMA_FILE

# The bindings do not say which values are sensitive: the provider's documentation does.
SENSITIVE = {("aws_ssm_parameter", "value"), ("aws_ssm_parameter", "value_wo")}

_SOURCE_MAP = re.compile(r"sourceMappingURL=data:application/json;base64,([A-Za-z0-9+/=]+)")
_PROVIDER_VERSION = re.compile(r"registry\.terraform\.io/providers/hashicorp/aws/([0-9.]+)/docs")
_CLASS = re.compile(r"^export class (\w+) extends (?:cdktn\.)?(\w+) \{\n(.*?)^\}", re.M | re.S)
_MEMBER = re.compile(
    r"^  // (\w+) - computed: (true|false), optional: (true|false), required: (true|false)\n", re.M
)
_NESTED = re.compile(
    r"private _\w+ = new (\w+?)(OutputReference|List|Map)\(this, \"\w+\"(?:, (true|false))?\)"
)
_FIELD = re.compile(r"private _\w+\?: ([^;]+);")
_GETTER = re.compile(r"return (.*?this\.get\w+Attribute\('\w+'\)[^;]*);")
_HCL_ENTRY = re.compile(r'^\s+(\w+): \{\n\s+value: .*\n\s+isBlock: (?:true|false),\n\s+type: "(\w+)",', re.M)
_HCL_FUNCTION = re.compile(r"^export function (\w+)ToHclTerraform\(.*?\n(.*?)^\}", re.M | re.S)
_INTERFACE = re.compile(r"^export interface (\w+) \{\n(.*?)^\}", re.M | re.S)
_INTERFACE_FIELD = re.compile(
    r"#(\w+) [^}]*\}\n(?:\s+\*[^\n]*\n)*?\s+\*/\n\s+readonly \w+(\??): ([^;]+);", re.M
)

_PRIMITIVES = {"string": "string", "number": "number", "boolean": "bool"}
_GETTERS = {
    "String": "string",
    "Number": "number",
    "Boolean": "bool",
    "StringMap": ["map", "string"],
    "NumberMap": ["map", "number"],
    "BooleanMap": ["map", "bool"],
}


class Bindings:
    """The TypeScript source of one binding, indexed by class, interface and HCL conversion."""

    def __init__(self, source: str) -> None:
        self.classes: dict[str, str] = {name: body for name, _, body in _CLASS.findall(source)}
        self.bases: dict[str, str] = {name: base for name, base, _ in _CLASS.findall(source)}
        self.interfaces: dict[str, str] = dict(_INTERFACE.findall(source))
        self.nesting = {
            name[0].lower() + name[1:]: dict(_HCL_ENTRY.findall(body))
            for name, body in _HCL_FUNCTION.findall(source)
        }

    def root(self) -> str:
        """The class of the resource, data source or provider itself."""
        bases = ("TerraformResource", "TerraformDataSource", "TerraformProvider")
        return next(name for name, base in self.bases.items() if base in bases)

    def block(self, name: str, *, root: bool = False) -> dict[str, Any]:
        """The schema of the class `name`: `{"attributes": {...}, "blocks": {...}}`."""
        body = self.classes[name]
        if root:
            nesting = dict(_HCL_ENTRY.findall(body[body.index("synthesizeHclAttributes") :]))
        else:
            interface = name.removesuffix("OutputReference")
            nesting = self.nesting.get(interface[0].lower() + interface[1:], {})
        attributes: dict[str, Any] = {}
        blocks: dict[str, Any] = {}
        for member, flags, text in _members(body):
            found = _NESTED.search(text)
            field = _FIELD.search(text)
            if found:
                shape, value = self._nested(flags, found, nesting.get(member))
                (attributes if shape == "attribute" else blocks)[member] = value
            elif field and (struct := self._interface(field.group(1))):
                many = "[]" in field.group(1)
                blocks[member] = self._interface_block(struct, nesting[member], flags, many=many)
            else:
                declared = _field_type(field.group(1), nesting.get(member)) if field else None
                attributes[member] = _attribute(declared or _getter_type(text), flags)
        return {"attributes": attributes, "blocks": blocks}

    def _nested(
        self, flags: dict[str, bool], match: re.Match[str], nesting: str | None
    ) -> tuple[str, dict[str, Any]]:
        """A member that is an object: an attribute when the provider computes it, a block otherwise."""
        target, kind, wraps_set = match.groups()
        if kind == "Map":
            raise ValueError(f"{target}: a map of objects is not a block nesting this generator knows")
        content = self.block(f"{target}OutputReference")
        held = "set" if wraps_set == "true" else nesting or "list"
        if flags["computed"]:
            return "attribute", _attribute([held, _object(content)], flags)
        if held == "struct":
            return "block", {"nesting": "single", **content}
        limits: dict[str, int] = {"min": 1} if flags["required"] else {}
        if kind == "OutputReference":
            limits["max"] = 1
        return "block", {"nesting": held, **limits, **content}

    def _interface(self, declared: str) -> str | None:
        name = re.split(r"[\[ |]", declared.strip())[0]
        return name if name in self.interfaces else None

    def _interface_block(
        self, interface: str, nesting: str, flags: dict[str, bool], *, many: bool
    ) -> dict[str, Any]:
        """A block that has no class of its own, as those of the provider's configuration."""
        inner = self.nesting[interface[0].lower() + interface[1:]]
        attributes: dict[str, Any] = {}
        for name, optional, declared in _INTERFACE_FIELD.findall(self.interfaces[interface]):
            required = not optional
            kind = _field_type(declared, inner.get(name))
            if kind is None:
                raise ValueError(f"{interface}.{name}: unknown type {declared!r}")
            attributes[name] = _attribute(
                kind, {"computed": False, "optional": not required, "required": required}
            )
        limits: dict[str, int] = {"min": 1} if flags["required"] else {}
        if not many:
            limits["max"] = 1
        return {"nesting": nesting, **limits, "attributes": attributes, "blocks": {}}


def _members(body: str) -> Iterator[tuple[str, dict[str, bool], str]]:
    marks = list(_MEMBER.finditer(body))
    for mark, after in zip(marks, [*marks[1:], None], strict=True):
        flags = {
            key: value == "true"
            for key, value in zip(("computed", "optional", "required"), mark.groups()[1:], strict=True)
        }
        yield mark.group(1), flags, body[mark.end() : after.start() if after else len(body)]


def _field_type(declared: str, nesting: str | None) -> Any:
    base = declared.partition("|")[0].strip()
    if base in _PRIMITIVES:
        return _PRIMITIVES[base]
    if base.endswith("[]") and base[:-2] in _PRIMITIVES:
        return [nesting or "list", _PRIMITIVES[base[:-2]]]
    if base.startswith("Array<") and (element := base[6:]) in _PRIMITIVES:
        return [nesting or "list", _PRIMITIVES[element]]
    if (match := re.match(r"\{ \[key: string\]: \(?(\w+)", base)) and match.group(1) in _PRIMITIVES:
        return ["map", _PRIMITIVES[match.group(1)]]
    return None


def _getter_type(text: str) -> Any:
    match = _GETTER.search(text)
    if match is None:
        raise ValueError(f"no type found in {text[:200]!r}")
    expression = match.group(1)
    kind = re.search(r"this\.get(\w+?)Attribute\(", expression)
    if kind is None:
        raise ValueError(f"no getter found in {expression!r}")
    if kind.group(1) in ("List", "NumberList"):
        element = "number" if kind.group(1) == "NumberList" else "string"
        return ["set" if "Fn.tolist" in expression else "list", element]
    return _GETTERS[kind.group(1)]


def _attribute(kind: Any, flags: dict[str, bool]) -> dict[str, Any]:
    return {"type": kind, **{flag: True for flag, on in flags.items() if on}}


def _object(content: dict[str, Any]) -> list[Any]:
    fields = {name: attribute["type"] for name, attribute in content["attributes"].items()}
    for name, block in content["blocks"].items():
        fields[name] = [block["nesting"], _object(block)]
    return ["object", fields]


def _bindings(archive: tarfile.TarFile, folder: str) -> str:
    member = archive.extractfile(f"package/lib/{folder}/index.js")
    if member is None:
        raise ValueError(f"the archive has no package/lib/{folder}/index.js")
    match = _SOURCE_MAP.search(member.read().decode())
    if match is None:
        raise ValueError(f"package/lib/{folder}/index.js has no source map")
    sources: list[str] = json.loads(base64.b64decode(match.group(1)))["sourcesContent"]
    return "\n".join(sources)


def _schema(source: str) -> dict[str, Any]:
    bindings = Bindings(source)
    return bindings.block(bindings.root(), root=True)


def generate(tarball: Path) -> dict[str, Any]:
    """Read the bindings in `tarball` and return the schema document for the listed types.

    Raises ValueError when a binding is not of the expected form, KeyError when it lacks one of the listed
    types.
    """
    with tarfile.open(tarball) as archive:
        texts = {
            member: _bindings(archive, folder)
            for member, folder in (
                ("provider", "provider"),
                *((name, name.removeprefix("aws_").replace("_", "-")) for name in RESOURCES),
                *((f"data.{name}", f"data-{name.replace('_', '-')}") for name in DATA_SOURCES),
            )
        }
    version = _PROVIDER_VERSION.search(texts["provider"])
    if version is None:
        raise ValueError("the bindings do not name the provider's version")
    provider = _schema(texts["provider"])
    del provider["attributes"]["alias"]  # Terraform's own meta-argument
    resources = {name: _schema(texts[name]) for name in RESOURCES}
    for name, attribute in SENSITIVE:
        resources[name]["attributes"][attribute]["sensitive"] = True
    return {
        "provider_version": version.group(1),
        "provider": provider,
        "resources": resources,
        "data_sources": {name: _schema(texts[f"data.{name}"]) for name in DATA_SOURCES},
    }


def main(arguments: list[str] | None = None) -> int:
    """Command line: write the schema file beside this script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tarball", type=Path, help="the archive that `npm pack` downloaded")
    document = generate(parser.parse_args(arguments).tarball)
    SCHEMA_FILE.write_text(json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n")
    print(f"{SCHEMA_FILE.name}: {document['provider_version']}, {len(document['resources'])} resource types")
    return 0


if __name__ == "__main__":
    sys.exit(main())
