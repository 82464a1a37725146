"""The table of what the stand-in implements, rendered from the declarations into docs/local-provider.md.

python -m local.provider.documentation
"""

from __future__ import annotations

from pathlib import Path

from local.provider.data_sources import DATA_SOURCES
from local.provider.engine.plan import ENGINE_ARGUMENTS
from local.provider.engine.schema import load
from local.provider.resources import RESOURCES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "local-provider.md"
BEGIN, END = "<!-- implemented: begin -->", "<!-- implemented: end -->"


def _refused(type_name: str) -> list[str]:
    declared, block = RESOURCES[type_name], load().resources[type_name]
    taken = {path.split(".")[0] for path in declared.arguments}
    arguments = [
        name for name, attribute in block.attributes.items() if attribute.required or attribute.optional
    ]
    partly = [
        f"{name}.{inner}"
        for name, nested in block.blocks.items()
        if name in taken and name not in declared.arguments
        for inner in (*nested.body.attributes, *nested.body.blocks)
        if f"{name}.{inner}" not in declared.arguments
    ]
    whole = [name for name in (*arguments, *block.blocks) if name not in taken | ENGINE_ARGUMENTS]
    return sorted([*whole, *partly, *declared.refused])


def table() -> str:
    """The table, in Markdown: implemented types with the arguments they refuse, types with a schema only."""
    lines = ["| resource type | refuses |", "|---|---|"]
    for name in sorted(load().resources):
        if name in RESOURCES and not RESOURCES[name].applied:
            refused = "to be applied: it is validated and planned only"
        elif name in RESOURCES:
            refused = ", ".join(f"`{path}`" for path in _refused(name)) or "nothing"
        else:
            refused = "to be planned: schema only (validation, `mock_provider`)"
        lines.append(f"| `{name}` | {refused} |")
    sources = ", ".join(f"`{name}`" for name in sorted(DATA_SOURCES))
    return "\n".join([*lines, "", f"Data sources: {sources}."])


def rendered(page: str) -> str:
    """`page` with the table of now between its two marks. Raises ValueError when a mark is missing."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"docs/local-provider.md needs the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def main() -> None:
    """Command line: bring the page up to date."""
    PAGE.write_text(rendered(PAGE.read_text()))


if __name__ == "__main__":
    main()
