"""What the modules say of themselves is true, and none lacks a part."""

import re
from pathlib import Path

import pytest

from tests.terraform.interface_tables import rewritten
from tests.terraform.modules import MODULES, REPOSITORY, Module, bare, read_hcl
from tests.terraform.published import documents, local, of_this_version
from tests.terraform.snippets import PASTED, Snippet, unfenced

SHARED_PARTS = {"queue-access", "queue-with-dlq"}  # not called directly: their callers have the examples
every_public_module = pytest.mark.parametrize(
    "module",
    [module for module in Module.all() if module.name not in SHARED_PARTS],
    ids=lambda module: module.name,
)
every_module = pytest.mark.parametrize("module", Module.all(), ids=lambda module: module.name)


@every_module
def test_readme_tables_equal_the_code(module: Module) -> None:
    readme = (module.path / "README.md").read_text(encoding="utf-8")

    assert readme == rewritten(module, readme), "run: make documents"


@pytest.mark.parametrize("document", list(documents()), ids=lambda file: str(file.relative_to(REPOSITORY)))
def test_document_pins_this_version_and_fences_its_code(document: Path) -> None:
    text = document.read_text(encoding="utf-8")

    assert text == of_this_version(text), "run: make documents"
    assert not unfenced(document), "fence it as hcl, so that it is planned"


@pytest.mark.parametrize("snippet", PASTED, ids=str)
def test_source_can_be_pasted_and_names_a_module_that_exists(snippet: Snippet) -> None:
    calls = re.findall(
        r'^\s*source\s*= "(?!hashicorp/)([^"]+)"', local(snippet.code, "modules"), re.MULTILINE
    )

    assert calls, "a fragment begins with '# In a call of <module>' or '# In envs/<name>'"
    for call in calls:
        assert call.startswith("modules/"), f"{call} is no git::…//modules/<module>?ref=v<version>"
        assert (REPOSITORY / call / "versions.tf").is_file(), call


@every_public_module
def test_readme_has_every_section(module: Module) -> None:
    readme = (module.path / "README.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)$", readme, re.MULTILINE)

    assert sections == ["Minimal", "Full", "Inputs", "Outputs", "What it does not do", "Upgrade notes"]


@every_public_module
def test_module_has_a_minimal_and_a_full_example(module: Module) -> None:
    assert set(module.examples) >= {"minimal", "full"}


@every_public_module
def test_full_example_sets_every_input(module: Module) -> None:
    calls = [
        block
        for entry in read_hcl(module.examples["full"] / "main.tf")["module"]
        for block in entry.values()
        if bare(block["source"]) == "../.."
    ]

    assert {given.name for given in module.inputs} <= {name for block in calls for name in block}


@every_module
def test_every_input_and_output_is_described_and_typed(module: Module) -> None:
    for variable in module.inputs:
        assert variable.description, variable.name
        assert not re.search(r"\bany\b", variable.type), variable.name
    for name, description in module.outputs.items():
        assert description, name


@every_module
def test_module_has_its_files(module: Module) -> None:
    names = {file.name for file in module.path.iterdir()}

    assert {"main.tf", "variables.tf", "outputs.tf", "versions.tf", "README.md", "tests"} <= names


def test_queue_modules_have_the_interface_of_their_shared_part() -> None:
    shared = {given.name: given for given in Module(MODULES / "queue-with-dlq").inputs}
    for name, own in (("fifo-queue-with-dlq", {"high_throughput"}), ("standard-queue-with-dlq", {"reason"})):
        inputs = {given.name: given for given in Module(MODULES / name).inputs}
        assert inputs.keys() - own == shared.keys() - {"fifo"}
        for given in inputs.keys() - own:
            assert (inputs[given].type, inputs[given].default) == (shared[given].type, shared[given].default)


def test_no_module_takes_a_region_of_its_own() -> None:
    """With provider 6 it would reach some resources and data sources and not others."""
    for module in Module.all():
        assert "region" not in {given.name for given in module.inputs}
        for kind, name, body in module.resources():
            assert "region" not in body, f"{module.name}: {kind}.{name}"


def test_modules_agree_on_versions() -> None:
    texts = {
        module.name: (module.path / "versions.tf").read_text(encoding="utf-8") for module in Module.all()
    }

    assert set(texts.values()) == {texts["job-table"]}
    assert 'required_version = ">= 1.11"' in texts["job-table"]
    assert 'version = ">= 6.28, < 7.0"' in texts["job-table"]


def test_modules_read_each_other_s_outputs_only() -> None:
    for module in Module.all():
        for file in module.path.glob("*.tf"):
            assert not re.search(
                r"module\.\w+\.(?:aws_|local\.|var\.|data\.)", file.read_text(encoding="utf-8")
            ), file


@pytest.mark.parametrize(
    "file", sorted(MODULES.glob("*/*.tf")), ids=lambda file: f"{file.parent.name}/{file.name}"
)
def test_partition_account_and_region_are_never_written_out(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    told = re.sub(r"(?:error_message|description) += \".*|regex\(\"[^\n]*", "", text)

    assert not re.search(r"arn:aws|\b[0-9]{12}\b|\b[a-z]{2}-[a-z]+-[0-9]\b", told)
