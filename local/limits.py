"""How long to wait for something on this machine."""

from __future__ import annotations

from typing import Final

HANG_SECONDS: Final = 600.0
"""What takes longer has hung. It bounds a wait and measures nothing: a busy machine must not come near it."""
