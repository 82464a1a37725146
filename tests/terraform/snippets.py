"""The HCL of the documents, each block made a root that Terraform can plan and apply."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.terraform import published
from tests.terraform.interface_tables import EXAMPLES
from tests.terraform.modules import MODULES, REPOSITORY, Module, bare, read_hcl

_BLOCK = re.compile(r"^```(?:hcl|terraform|tf)\b[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FRAGMENT = re.compile(r"# In a call of ([a-z-]+)\b")
_FILE = re.compile(r"# In envs/([a-z]+)(?:, in a file ([a-z_]+\.tf))?$", re.MULTILINE)
_CODE = r"^(?: {4,}|\t)[\w-]+ += |^(?: {4}|\t)(?:module|resource|variable|provider|terraform)\b[^\n]*\{$"
_UNFENCED = re.compile(_CODE, re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """A block of HCL in a document: whole, or arguments in a call of a module, which its first line names."""

    document: Path
    number: int
    code: str

    def __str__(self) -> str:
        """Where it stands."""
        return f"{self.document.relative_to(REPOSITORY)}#{self.number}"

    @property
    def fragment_of(self) -> str | None:
        """The module whose call this is a part of, None for what is whole."""
        found = _FRAGMENT.match(self.code)
        return found[1] if found else None

    @property
    def file_of(self) -> tuple[str, str] | None:
        """The environment whose root takes it as a file of its own, and the file's name; None otherwise."""
        found = _FILE.match(self.code)
        return (found[1], found[2] or "fragment.tf") if found else None

    def write(self, root: Path, modules: str) -> None:
        """Write it into the folder ROOT as a caller has it, its sources led to MODULES, a relative path.

        A fragment goes into the call in the full example of its module, in place of arguments of these names.
        """
        code, whole = self.code, self.fragment_of is None
        if not whole:
            example = MODULES / str(self.fragment_of) / "examples" / "full" / "main.tf"
            call = next(
                bare(name)
                for entry in read_hcl(example)["module"]
                for name, block in entry.items()
                if bare(block["source"]) == "../.."
            )
            text = f'module "{call}" {{\n{code}}}\n'
            (root / "fragment_override.tf").write_text(text, encoding="utf-8")
            code = published.published(example.read_text(encoding="utf-8"), str(self.fragment_of))
        (root / "main.tf").write_text(published.local(code, modules), encoding="utf-8")


def of(document: Path) -> Iterator[Snippet]:
    """The blocks of HCL in DOCUMENT, in their order."""
    text = document.read_text(encoding="utf-8")
    for number, found in enumerate(_BLOCK.finditer(text), start=1):
        yield Snippet(document, number, found[1])


def unfenced(document: Path) -> list[str]:
    """Lines of DOCUMENT outside of fences that look like HCL."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return _UNFENCED.findall(text)


def _examples_apart() -> Iterator[Snippet]:
    """The examples that no README shows, as a caller elsewhere writes them."""
    for module in Module.all():
        for name, folder in module.examples.items():
            if name not in EXAMPLES.values():
                file = folder / "main.tf"
                yield Snippet(file, 1, published.published(file.read_text(encoding="utf-8"), module.name))


SNIPPETS = [snippet for document in published.documents() for snippet in of(document)]
FRAGMENTS = [snippet for snippet in SNIPPETS if snippet.fragment_of is not None]
FILES = [snippet for snippet in SNIPPETS if snippet.file_of is not None]
PASTED = [snippet for snippet in SNIPPETS if snippet not in [*FRAGMENTS, *FILES]]
WHOLE = [*PASTED, *_examples_apart()]
