"""Variables that are null: tfparse shows them as it shows what it cannot evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policies.plan import UNKNOWN, Unknown
from policies.plan.addresses import parts
from policies.plan.resource import ModulePath, ModuleStep


class Variables:
    """The arguments of module calls and the defaults of variables, by module."""

    def __init__(self, evaluated: Mapping[str, list[Mapping[str, Any]]]) -> None:
        self._calls = {item["__tfmeta"]["path"]: item for item in evaluated.get("module", [])}
        self._variables = {item["__tfmeta"]["path"]: item for item in evaluated.get("variable", [])}

    def null_or_unknown(self, expression: Any, module: ModulePath) -> Unknown | None:
        """None when the expression is a variable that is null, `UNKNOWN` otherwise."""
        names = parts(expression) if isinstance(expression, str) else None
        # Only a whole variable: what an object lacks may be there by its type's default.
        if not names or len(names) != 2 or names[0].name != "var":
            return UNKNOWN
        prefix = "".join(f"module.{_written(step)}." for step in module)
        call = self._calls.get(prefix[:-1])
        name = names[1].name
        if call is not None and name in call:
            given = call[name]
            if given is None:
                return None
            if isinstance(given, dict) and "__attribute__" in given:
                return self.null_or_unknown(given["__attribute__"], module[:-1])
            return UNKNOWN
        variable = self._variables.get(f"{prefix}variable.{name}")
        return (
            None
            if variable is not None and "default" in variable and variable["default"] is None
            else UNKNOWN
        )


def _written(step: ModuleStep) -> str:
    if step.key is None:
        return step.name
    return f'{step.name}["{step.key}"]' if isinstance(step.key, str) else f"{step.name}[{step.key}]"
