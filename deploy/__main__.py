"""`make plan`, `make apply`, `make destroy` and `make diff-envs`.

Exit status 0: done; 1: not done (Terraform failed, or the answer was no); 2: wrong use; 130: interrupted.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from deploy import consent, differences, losses, summary
from deploy.change import Protected, carry_out
from deploy.losses import Unnamed
from deploy.offline import REPOSITORY, Offline
from deploy.plan import PlanFiles, genuine
from deploy.request import Request, WrongUse, parse
from deploy.terraform import TerraformError, TerraformMissing
from local.emulator import EmulatorError
from local.emulator.process import terminating_on_signals
from policies.plan import PlanError
from policies.waivers import WaiversError

_UNFOLDED = 1000  # columns, where no terminal sets them: what is searched must not be folded


def _plan(request: Request, repository: Path, console: Console) -> bool:
    name, dist = request.environment, repository / "dist"
    files = PlanFiles.of(dist / "plans", name)
    root = repository / "envs" / name
    if request.offline:
        with (
            Offline.start(dist / "plans" / "emulator.log") as offline,
            tempfile.TemporaryDirectory() as folder,
        ):
            document = files.make(offline.root(root, Path(folder), dist))
    else:
        document = files.make(genuine(root))
    summary.show(document, f"{name}{' (offline)' if request.offline else ''}", console)
    losses.show(losses.losses(document), console)
    for file in (files.binary, files.text):
        console.print(str(file.relative_to(repository)), highlight=False)
    return True


def _diff(request: Request, repository: Path, console: Console) -> bool:
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


def _change(request: Request, repository: Path, console: Console) -> bool:
    name = request.environment
    destroying = request.verb == "destroy"
    files = PlanFiles.of(repository / "dist" / "plans", f"{name}.destroy" if destroying else name)
    return carry_out(
        genuine(repository / "envs" / name),
        files,
        f"{request.verb} {name}",
        console,
        lambda found: consent.given(request, found, console),
        *(["-destroy"] if destroying else []),
    )


_VERBS = {"plan": _plan, "diff": _diff, "apply": _change, "destroy": _change}


def _complain(text: str) -> None:
    Console(stderr=True).print(text, style="bold red", highlight=False, markup=False, soft_wrap=True)


def main(arguments: Sequence[str], repository: Path = REPOSITORY) -> int:
    """Command line; turns what goes wrong into one clear line. `repository` holds `envs/` and `dist/`."""
    console = Console()
    if not console.is_terminal:
        console.width = _UNFOLDED
    try:
        request = parse(arguments)
        consent.check_unattended(request)
        if request.only_check:
            return 0
        with terminating_on_signals():
            return 0 if _VERBS[request.verb](request, repository, console) else 1
    except WrongUse as error:
        _complain(str(error))
        return 2
    except TerraformError as error:
        _complain(str(error))
        if request.verb == "plan" and not request.offline:
            _complain(
                "Without AWS's keys or the provider's registry, plan on this machine: "
                f"make plan ENV={request.environment} OFFLINE=1"
            )
        return 1
    except (EmulatorError, PlanError, Protected, TerraformMissing, Unnamed, WaiversError) as error:
        _complain(str(error))
        return 1
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
