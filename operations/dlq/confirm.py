"""What is shown before a command works on the queues, and asked before messages are lost."""

from rich.console import Console

from operations.caller import Caller
from operations.confirm import typed
from operations.dlq.target import Target
from operations.outcome import RefusedError


def show(console: Console, caller: Caller, target: Target) -> None:
    """Say with whose credentials which queue is about to be worked on."""
    console.print(
        f"{target.environment} / {target.job}: {target.dead_letter_queue} at {caller}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def ask_for_name(console: Console, target: Target, what: str, given: str | None) -> None:
    """Let a loss be confirmed by the queue's name. Raises RefusedError when it is not."""
    name = target.dead_letter_queue
    if given is None:
        typed(console, f"{what}. Type {name} to go on: ", name, f"--confirm {name}")
    elif given != name:
        raise RefusedError(f"--confirm: it is not the queue's name; nothing was changed. Write {name}")
