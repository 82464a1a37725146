"""`make release VERSION=x.y.z`: check, prove, and tag the commit that is checked out; nothing is pushed.

Exit status 0: tagged, or nothing is missing (DRY_RUN=1); 1: something is missing, named; 2: wrong use; 130:
interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

from deploy.offline import REPOSITORY
from deploy.release.checks import BRANCH, is_version, notes, problems
from deploy.release.git import TAGS, GitError, annotate, commit
from deploy.release.proofs import commands, first_that_fails
from local.emulator.process import terminating_on_signals


def main(arguments: Sequence[str], repository: Path = REPOSITORY, today: date | None = None) -> int:
    """Command line. REPOSITORY is the work tree to release, TODAY the date that no changelog may be after."""
    parser = argparse.ArgumentParser(prog="python -m deploy.release", description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--dry-run", action="store_true", help="say what is missing and what would be done")
    request = parser.parse_args(arguments)
    version, today = request.version, today or datetime.now().astimezone().date()
    if not is_version(version):
        return _complain(f"VERSION is {version!r}: write three numbers, as in VERSION=0.2.0", status=2)
    try:
        if request.dry_run:
            return _tell(repository, version, today)
        with terminating_on_signals():
            return _release(repository, version, today)
    except GitError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return _complain("interrupted: nothing was tagged", status=130)


def _tell(repository: Path, version: str, today: date) -> int:
    missing = list(problems(repository, version, today))
    for sentence in missing:
        _complain(sentence)
    print(f"make release VERSION={version} would run, in this order:")
    for command in commands():
        print(f"  {' '.join(command)}")
    print(f"and make the annotated tag {TAGS}{version} of {commit(repository)[:12]}, here only.")
    return 1 if missing else 0


def _release(repository: Path, version: str, today: date) -> int:
    missing = list(problems(repository, version, today))
    for sentence in missing:
        _complain(sentence)
    if missing:
        return 1
    released = commit(repository)
    failed = first_that_fails(commands(), repository)
    if failed is not None:
        return _complain(
            f"{' '.join(failed)} failed on {released[:12]}: nothing was tagged; mend it, then start again"
        )
    # The proofs take long: what they saw has to be what is tagged.
    changed = list(problems(repository, version, today))
    if changed or commit(repository) != released:
        detail = "; ".join(changed) or f"{commit(repository)[:12]} is checked out"
        return _complain(f"while the proofs ran on {released[:12]}, this changed: {detail}. Start again")
    tag = TAGS + version
    annotate(repository, tag, released, f"fanout-once {version}\n\n{notes(repository, version, today)}\n")
    print(f"{tag} is made, of {released[:12]}, here only. To publish it:")
    print(f"  git push --atomic origin {BRANCH} {tag}")
    return 0


def _complain(sentence: str, status: int = 1) -> int:
    print(sentence, file=sys.stderr, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
