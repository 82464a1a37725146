"""What is asked before anything changes."""

import sys

from rich.console import Console

from operations.outcome import RefusedError

_ASKED = frozenset({"prod"})


def ask(console: Console, environment: str, what: str, *, yes: bool) -> None:
    """Let a change of production be confirmed by the environment's name.

    Raises RefusedError when it is not, or when nobody is there to ask and `yes` was not said.
    """
    if yes or environment not in _ASKED:
        return
    typed(console, f"{what}. Type {environment} to go on: ", environment, "--yes")


def typed(console: Console, question: str, wanted: str, flag: str) -> None:
    """Ask for `wanted` to be typed; `flag` is what to write where nobody can be asked.

    Raises RefusedError when something else is typed, or there is no terminal.
    """
    if not (console.is_terminal and sys.stdin.isatty()):
        raise RefusedError(f"no terminal to ask on; write {flag}")
    try:
        answer = console.input(question, markup=False, emoji=False)
    except EOFError:
        answer = ""
    if answer.strip() != wanted:
        raise RefusedError("not confirmed; nothing was changed")
