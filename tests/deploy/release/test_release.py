"""A version is tagged when everything is there and proved, and never otherwise."""

from __future__ import annotations

import pytest

from tests.deploy.release.conftest import CHANGELOG, Change, Repository

PROOFS = ["gate-source", "gate dev 1", "gate prod 1", "gate stg 1", "test-all"]


def test_release_runs_every_proof_and_tags_the_commit_with_its_notes(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repository.release() == 0

    assert repository.ran == PROOFS
    assert repository.git("cat-file", "-t", "v0.2.0") == "tag"
    assert repository.git("rev-parse", "v0.2.0^{commit}") == repository.git("rev-parse", "HEAD")
    message = repository.git("tag", "--list", "--format=%(contents)", "v0.2.0")
    assert message == "fanout-once 0.2.0\n\n### Added\n\n- Weekly jobs."
    assert "git push --atomic origin main v0.2.0" in capsys.readouterr().out


def test_what_make_was_told_makes_no_proof_milder(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAKEFLAGS", "i")  # go on after a failure, and end with 0
    monkeypatch.setenv("WAIVERS", "waivers.toml")
    repository.replace("Makefile", "\ntest-all:", "\ntest-all:\n\t@exit 3")
    repository.commit()

    assert repository.release() == 1
    assert repository.ran == PROOFS[:-1]


def _on_a_branch(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "topic")


def _staged(repository: Repository) -> None:
    repository.write("a", "")
    repository.git("add", "a")


MISSING: dict[str, tuple[Change, str, str]] = {
    "another branch": (_on_a_branch, "the branch 'topic' is checked out", "git switch main"),
    "no branch": (lambda r: r.git("switch", "--quiet", "--detach"), "no branch is", "git switch main"),
    "changed file": (lambda r: r.write("Makefile", "all:\n"), "Makefile", "commit it"),
    "unknown file": (lambda r: r.write("notes.txt", ""), "notes.txt", "commit it"),
    "staged file": (_staged, "(a)", "commit it"),
    "tag": (lambda r: r.git("tag", "v0.2.0"), "the tag v0.2.0 exists", "choose the next version"),
    "later tag": (lambda r: r.git("tag", "v0.10.0"), "0.2.0 is older than 0.10.0", "choose a later version"),
    "no section": (
        lambda r: r.replace("CHANGELOG.md", "## 0.2.0 - 2026-12-01", "### Weekly"),
        "no section '## 0.2.0 - 2026-12-01'",
        "rename the heading 'Unreleased' to it",
    ),
    "another version's section": (
        lambda r: r.replace("CHANGELOG.md", "## 0.2.0 -", "## 0.2.01 -"),
        "no section '## 0.2.0 - 2026-12-01'",
        "rename the heading 'Unreleased' to it",
    ),
    "no date": (
        lambda r: r.replace("CHANGELOG.md", "0.2.0 - 2026-12-01", "0.2.0"),
        "'## 0.2.0' has no date",
        "write '## 0.2.0 - 2026-12-01'",
    ),
    "no such date": (lambda r: r.replace("CHANGELOG.md", "2026-12-01", "2026-11-31"), "no date", "write"),
    "another form of date": (lambda r: r.replace("CHANGELOG.md", "2026-12-01", "1 Dec"), "no date", "write"),
    "date to come": (
        lambda r: r.replace("CHANGELOG.md", "2026-12-01", "2026-12-02"),
        "in the future",
        "write",
    ),
    "nothing said": (
        lambda r: r.write("CHANGELOG.md", CHANGELOG.replace("### Added\n\n- Weekly jobs.\n", "")),
        "nothing stands under",
        "say what is new",
    ),
    "something unreleased": (
        lambda r: r.replace("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n- Daily jobs.\n"),
        "something still stands under '## Unreleased'",
        "move it to '## 0.2.0 - 2026-12-01'",
    ),
    "project's version": (
        lambda r: r.replace("pyproject.toml", "0.2.0", "0.1.0"),
        "pyproject.toml has the version 0.1.0",
        "write 0.2.0",
    ),
    "pin of an older version": (
        lambda r: r.replace("README.md", "v0.2.0", "v0.1.0"),
        "README.md:1 pins v0.1.0, not v0.2.0",
        "make documents",
    ),
    "pin of a branch": (
        lambda r: r.write("docs/a folder/use.md", "`?ref=main`\n"),
        "docs/a folder/use.md:1 pins main",
        "make documents",
    ),
}


@pytest.mark.parametrize("missing", MISSING)
def test_what_is_missing_is_one_sentence_with_what_to_do_and_nothing_is_run(
    missing: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    change, said, remedy = MISSING[missing]
    change(repository)
    if missing not in {"changed file", "unknown file", "staged file"} and repository.git(
        "status", "--porcelain"
    ):
        repository.commit()
    before = repository.tags

    assert repository.release() == 1

    (sentence,) = capsys.readouterr().err.splitlines()
    assert said in sentence
    assert remedy in sentence
    assert repository.ran == []
    assert repository.tags == before


def test_everything_that_is_missing_is_told_at_once(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repository.release("0.3.0") == 1

    assert [line.split()[0] for line in capsys.readouterr().err.splitlines()] == [
        "CHANGELOG.md:",
        "pyproject.toml",
        "README.md:1",
    ]


@pytest.mark.parametrize(
    "version", ["", "v0.2.0", "0.2", "0.2.0.1", "0.02.0", "0.2.0-rc1", "latest", "0.2.0\n"]
)
def test_what_is_no_version_is_wrong_use(
    version: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repository.release(version) == 2
    assert f"VERSION is {version!r}: write three numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("failing", "ran"), [("gate-source", []), ("gate", PROOFS[:1]), ("test-all", PROOFS[:-1])]
)
def test_failed_proof_ends_it_without_a_tag(
    failing: str, ran: list[str], repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.replace("Makefile", f"\n{failing}:", f"\n{failing}:\n\t@exit 3")
    released = repository.commit()

    assert repository.release() == 1

    assert f"failed on {released[:12]}: nothing was tagged" in capsys.readouterr().err
    assert repository.ran == ran
    assert "v0.2.0" not in repository.tags


@pytest.mark.parametrize(
    ("meanwhile", "said"),
    [
        ("echo x > left-over", "left-over"),
        ("git commit --quiet --allow-empty --message=later", "is checked out"),
        ("git tag v0.2.0", "the tag v0.2.0 exists"),
    ],
)
def test_what_changes_while_the_proofs_run_is_not_tagged(
    meanwhile: str, said: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.replace("Makefile", "\ntest-all:", f"\ntest-all:\n\t@{meanwhile}")
    released = repository.commit()

    assert repository.release() == 1

    error = capsys.readouterr().err
    assert f"while the proofs ran on {released[:12]}, this changed: " in error
    assert said in error
    assert "fanout-once" not in repository.git("tag", "--list", "--format=%(contents)")


def test_dry_run_says_what_would_be_done_and_does_nothing(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repository.release("0.2.0", "--dry-run") == 0

    printed = capsys.readouterr().out
    assert "make gate ENV=prod OFFLINE=1" in printed
    assert "make test-all" in printed
    assert f"the annotated tag v0.2.0 of {repository.git('rev-parse', 'HEAD')[:12]}" in printed
    assert repository.ran == []
    assert repository.tags == ["v0.1.0"]


def test_dry_run_says_what_is_missing(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.write("notes.txt", "")

    assert repository.release("0.2.0", "--dry-run") == 1

    captured = capsys.readouterr()
    assert "notes.txt" in captured.err
    assert "make test-all" in captured.out


def test_what_git_refuses_is_told_in_its_words(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository.path / "nowhere"))

    assert repository.release() == 1
    assert "not a git repository" in capsys.readouterr().err
