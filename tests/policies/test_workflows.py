"""The pull-request workflow: pinned, with no more rights than it needs."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.y*ml"))
PINNED = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
VERBS = re.compile(r"\bmake ([a-z][a-z-]*)")


def jobs(text: str) -> dict[str, str]:
    """The text of each job by its name."""
    body = text.split("\njobs:\n", 1)[1]
    found = re.split(r"^  ([a-z-]+):\n", body, flags=re.MULTILINE)[1:]
    return dict(zip(found[::2], found[1::2], strict=True))


@pytest.fixture(params=WORKFLOWS, ids=lambda file: file.name)
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param.read_text(encoding="utf-8"))


def test_there_is_one() -> None:
    assert WORKFLOWS


def test_every_action_is_pinned_by_digest_with_its_version(text: str) -> None:
    uses = re.findall(r"uses: (.+)", text)
    assert uses
    for action in uses:
        assert PINNED.match(action), action


def test_token_may_read_only_unless_a_job_says_more(text: str) -> None:
    assert re.search(r"^permissions:\n  contents: read\n", text, re.MULTILINE)
    assert "write-all" not in text
    assert "pull_request_target" not in text


def test_jobs_with_a_writing_token_run_no_code_of_the_pull_request(text: str) -> None:
    for name, job in jobs(text).items():
        if re.search(r"^      (pull-requests|security-events|contents): write", job, re.MULTILINE):
            assert "actions/checkout" not in job, name
            assert "id-token" not in job, name


def test_only_the_protected_environment_on_main_applies(text: str) -> None:
    applying = {name: job for name, job in jobs(text).items() if re.search(r"\bapply -input=false", job)}
    assert applying
    for name, job in applying.items():
        assert "environment: ${{ matrix.environment }}" in job, name
        assert "github.ref == 'refs/heads/main'" in job, name
        # What is applied is the file that was judged.
        assert job.index("make plan") < job.index("make gate-plan") < job.index("apply -input=false"), name


def test_checkouts_leave_no_credentials_behind(text: str) -> None:
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_scripts_take_no_event_text_from_expressions(text: str) -> None:
    for script in re.findall(r"run: \|\n((?:          .*\n)+)|run: (?!\|)(.+)", text):
        assert "${{" not in "".join(script)


def test_verbs_exist(text: str) -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for verb in set(VERBS.findall(text)):
        assert re.search(rf"^{verb}:", makefile, re.MULTILINE), verb
