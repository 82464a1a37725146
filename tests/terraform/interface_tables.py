"""The parts of the documents that come from the code: examples, inputs, outputs, and sources of modules.

`make documents` rewrites them; a test compares.
"""

import re
from collections.abc import Iterable, Sequence

from tests.terraform.modules import Module
from tests.terraform.published import documents, of_this_version, published

EXAMPLES = {"Minimal": "minimal", "Full": "full"}
_GENERATED = r"\n## {title}\n(?:\n```hcl\n.*?\n```\n|\n(?:\|[^\n]*\n)+)?"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def sections(module: Module) -> dict[str, str]:
    """The text of each generated section, by title."""
    texts = {
        "Inputs": _table(
            ("name", "what it is", "type", "default"),
            (
                (
                    f"`{given.name}`",
                    given.description,
                    f"`{given.type}`",
                    "required" if given.default is None else f"`{given.default}`",
                )
                for given in module.inputs
            ),
        ),
        "Outputs": _table(
            ("name", "what it is"), ((f"`{name}`", told) for name, told in module.outputs.items())
        ),
    }
    for title, name in EXAMPLES.items():
        if name in module.examples:
            code = (module.examples[name] / "main.tf").read_text(encoding="utf-8").strip()
            texts[title] = f"```hcl\n{published(code, module.name)}\n```"
    return {title: f"\n## {title}\n\n{text}\n" for title, text in texts.items()}


def rewritten(module: Module, readme: str) -> str:
    """The README with the generated sections as the code has them. Raises ValueError when one is missing."""
    for title, text in sections(module).items():
        pattern = re.compile(_GENERATED.format(title=re.escape(title)), re.DOTALL)
        if len(pattern.findall(readme)) != 1:
            raise ValueError(f"modules/{module.name}/README.md: write one section '## {title}'")
        readme = text.join(pattern.split(readme))
    return readme


def main() -> None:
    """Rewrite every document."""
    for file in documents():
        file.write_text(of_this_version(file.read_text(encoding="utf-8")), encoding="utf-8")
    for module in Module.all():
        file = module.path / "README.md"
        file.write_text(rewritten(module, file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
