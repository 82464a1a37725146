"""What is shown, and asked, before anything changes."""

from rich.console import Console

from operations.dlq.outcome import RefusedError
from operations.dlq.target import Caller, Target

_ASKED = frozenset({"prod"})


def show(console: Console, caller: Caller, target: Target) -> None:
    """Say with whose credentials which queue is about to be worked on."""
    where = caller.endpoint or f"AWS {caller.region}"
    console.print(
        f"{target.environment} / {target.job}: {target.dead_letter_queue} at {where}, "
        f"account {caller.account}, as {caller.arn}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def ask(console: Console, target: Target, what: str, *, yes: bool) -> None:
    """Let a change of production be confirmed by the environment's name.

    Raises RefusedError when it is not, or when nobody is there to ask and `yes` was not said.
    """
    if yes or target.environment not in _ASKED:
        return
    _typed(console, f"{what}. Type {target.environment} to go on: ", target.environment, "--yes")


def ask_for_name(console: Console, target: Target, what: str, given: str | None) -> None:
    """Let a loss be confirmed by the queue's name. Raises RefusedError when it is not."""
    name = target.dead_letter_queue
    if given is None:
        _typed(console, f"{what}. Type {name} to go on: ", name, f"--confirm {name}")
    elif given != name:
        raise RefusedError(f"--confirm: it is not the queue's name; nothing was changed. Write {name}")


def _typed(console: Console, question: str, wanted: str, flag: str) -> None:
    if not console.is_terminal:
        raise RefusedError(f"no terminal to ask on; write {flag}")
    if console.input(question, markup=False).strip() != wanted:
        raise RefusedError("not confirmed; nothing was changed")
