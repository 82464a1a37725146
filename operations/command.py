"""How a command starts and ends: what goes wrong is one clear line and an exit status."""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError
from rich.console import Console
from rich.table import Table

from job_runtime.config import ConfigurationError
from job_runtime.failures import error_code
from operations.outcome import Exit, RefusedError
from operations.printing import json_text, plain, result_console


def carry_out(name: str, command: Callable[[Console], Exit]) -> Exit:
    """Run `command` with the console that people are told on; `name` stands before what went wrong."""
    console = Console(stderr=True)
    try:
        return command(console)
    except BrokenPipeError:
        # Whoever was to read the result has gone away; the interpreter would fail over it once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.PART
    except (
        RefusedError,
        ConfigurationError,
        ClientError,
        BotoCoreError,
        OSError,
        KeyboardInterrupt,
    ) as error:
        text, status = _ending(error)
        line = f"{name}: {plain(' '.join(text.split()))}"
        console.print(line, style="bold red", highlight=False, markup=False, emoji=False, soft_wrap=True)
        return status


def _ending(error: BaseException) -> tuple[str, Exit]:
    match error:
        case ClientError():
            text, status = f"{error.operation_name}: {error_code(error)}: {error}", Exit.AWS
        case ParamValidationError():
            text, status = f"AWS takes no such names: {error}", Exit.REFUSED
        case BotoCoreError():
            text, status = f"no answer from AWS: {error}", Exit.AWS
        case OSError():
            text = f"{error.filename or 'file'}: {error.strerror}; what it has not taken stays"
            status = Exit.PART
        case KeyboardInterrupt():
            text, status = "interrupted; nothing is lost, run it again to finish", Exit.INTERRUPTED
        case _:
            text, status = str(error), Exit.REFUSED
    return text, status


def end_as_interrupted() -> None:
    """Take a connection that breaks, or a host that shuts down, for Ctrl-C: commands tidy up behind it."""

    def interrupted(number: int, _frame: object) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, interrupted)


def tell(document: Mapping[str, Any], shown: Any, *, as_json: bool) -> None:
    """Print the result: the document for scripts, or `shown` (anything rich prints) for people.

    Raises BrokenPipeError when nobody reads it.
    """
    if as_json:
        print(json_text(document))  # noqa: T201 - this is the result
    else:
        result_console().print(shown, highlight=False, markup=False)
    sys.stdout.flush()


def grid(found: Mapping[str, Any]) -> Table:
    """Names and values, one below the other."""
    table = Table.grid(padding=(0, 2))
    for name, value in found.items():
        match value:
            case dict():
                text = "\n".join(f"{key}: {part}" for key, part in value.items()) or "none"
            case list():
                text = "\n".join(map(str, value)) or "none"
            case None:
                text = "none"
            case _:
                text = f"{value:,}" if isinstance(value, int) else str(value)
        table.add_row(name.replace("_", " "), plain(text))
    return table
