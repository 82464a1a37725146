"""The Terraform process at the other end of a connection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil


def working_directory(peer: str) -> Path | None:
    """The folder in which the process at `peer` works; gRPC calls a connection `ipv4:127.0.0.1:50000`.

    None when no process of this machine that may be looked at has the connection. Terraform is mostly a child
    of this process, but it may have been started by anybody who was told the address.
    """
    port = int(peer.rpartition(":")[2])
    for process in _processes():
        try:
            if any(item.laddr and item.laddr.port == port for item in process.net_connections("tcp4")):
                return Path(process.cwd())
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue  # it ended meanwhile, or it is somebody else's
    return None


def _processes() -> Iterator[psutil.Process]:
    """The likely ones first."""
    here = psutil.Process()
    yield from here.children(recursive=True)
    yield from (process for process in psutil.process_iter() if process != here)
