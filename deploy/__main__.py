"""`make plan`, `make apply`, `make destroy`, `make unlock` and `make diff-envs`.

Exit status 0: done; 1: not done (Terraform failed, or the answer was no); 2: wrong use; 130: interrupted.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from deploy import consent, differences, losses, summary
from deploy.change import Protected, apply_plan, carry_out
from deploy.lock import Lock, lock_refused
from deploy.losses import Unnamed
from deploy.offline import REPOSITORY, Offline
from deploy.origin import Origin
from deploy.plan import PlanFiles, genuine
from deploy.request import Request, WrongUse, parse
from deploy.terraform import Terraform, TerraformError, TerraformMissing
from local.emulator import EmulatorError
from local.emulator.process import terminating_on_signals
from policies.plan import PlanError
from policies.waivers import WaiversError

Opened = Callable[[Path], Terraform]
_UNFOLDED = 1000  # columns, where no terminal sets them: what is searched must not be folded


def _plan(request: Request, repository: Path, opened: Opened, console: Console) -> bool:
    name, dist = request.environment, repository / "dist"
    files = PlanFiles.of(dist / "plans", name)
    root = repository / "envs" / name
    title = f"{name}{' (offline)' if request.offline else ''}"
    notes: dict[str, str] = {}
    if request.offline:
        with (
            Offline.start(dist / "plans" / "emulator.log") as offline,
            tempfile.TemporaryDirectory() as folder,
        ):
            document = files.make(offline.root(root, Path(folder), dist))
    else:
        document = files.make(opened(root), *([] if request.lock else ["-lock=false"]))
        origin = Origin.of(files.binary, name, repository)
        origin.write(files.origin)
        notes = {"commit": origin.commit or "none: files were changed", "digest of the plan": origin.digest}
    lost = losses.losses(document)
    files.summary.write_text(summary.markdown(document, title, notes, lost), encoding="utf-8")
    summary.show(document, title, console)
    losses.show(lost, console)
    for file in files.written():
        console.print(str(file.relative_to(repository)), highlight=False)
    return True


def _diff(request: Request, repository: Path, _opened: Opened, console: Console) -> bool:
    dist = repository / "dist"
    sides: list[differences.Side] = []
    with Offline.start(dist / "plans" / "emulator.log") as offline:
        for name in request.environments:
            with tempfile.TemporaryDirectory() as folder:
                root = offline.root(repository / "envs" / name, Path(folder), dist)
                sides.append(differences.Side(name, PlanFiles.of(Path(folder), name).make(root)))
    one, other = sides
    differences.show(one, other, console)
    return True


def _change(request: Request, repository: Path, opened: Opened, console: Console) -> bool:
    name = request.environment
    title, root = f"{request.verb} {name}", repository / "envs" / name

    def agreed(found: Sequence[losses.Loss]) -> bool:
        return consent.given(request, found, console)

    if request.plan:
        plan = Path(request.plan)
        Origin.check(plan, name, request.digest, repository)
        return apply_plan(opened(root), plan, title, console, agreed)
    destroying = request.verb == "destroy"
    files = PlanFiles.of(repository / "dist" / "plans", f"{name}.destroy" if destroying else name)
    return carry_out(opened(root), files, title, console, agreed, *(["-destroy"] if destroying else []))


def _unlock(request: Request, repository: Path, opened: Opened, console: Console) -> bool:
    if not consent.given(request, [], console):
        console.print("Not confirmed: the lock stays.")
        return False
    opened(repository / "envs" / request.environment).force_unlock(request.lock_id)
    console.print(f"The state of {request.environment} is free.", highlight=False)
    return True


_VERBS = {"plan": _plan, "diff": _diff, "apply": _change, "destroy": _change, "unlock": _unlock}


def _complain(text: str) -> None:
    Console(stderr=True).print(text, style="bold red", highlight=False, markup=False, soft_wrap=True)


def _explained(error: TerraformError, request: Request) -> str:
    """What to do about an error of Terraform's, where this project knows more of it than Terraform does."""
    lock = Lock.holding_up(error)
    if lock:
        return lock.told(request.environment, datetime.now(UTC))
    if request.plan and any(item["summary"].startswith("Saved plan") for item in error.diagnostics):
        return f"Nothing was changed. Plan again and have that approved: make plan ENV={request.environment}"
    if request.verb != "plan":
        return ""
    if lock_refused(error):
        return f"These keys may read the state and not lock it: make plan ENV={request.environment} LOCK=0"
    if not request.offline:
        return (
            "Without AWS's keys or the provider's registry, plan on this machine: "
            f"make plan ENV={request.environment} OFFLINE=1"
        )
    return ""


def main(arguments: Sequence[str], repository: Path = REPOSITORY, opened: Opened = genuine) -> int:
    """Command line; turns what goes wrong into one clear line.

    `repository` holds `envs/` and `dist/`. `opened` makes an initialised Terraform of one of its roots.
    """
    console = Console()
    if not console.is_terminal:
        console.width = _UNFOLDED
    try:
        request = parse(arguments)
        consent.check_unattended(request)
        if request.only_check:
            return 0
        with terminating_on_signals():
            return 0 if _VERBS[request.verb](request, repository, opened, console) else 1
    except WrongUse as error:
        _complain(str(error))
        return 2
    except TerraformError as error:
        _complain(str(error))
        explained = _explained(error, request)
        if explained:
            _complain(explained)
        return 1
    except (EmulatorError, PlanError, Protected, TerraformMissing, Unnamed, WaiversError) as error:
        _complain(str(error))
        return 1
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
