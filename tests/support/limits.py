"""How long a test waits for what has to come."""

from __future__ import annotations

from typing import Final

HANG_SECONDS: Final = 900.0
"""What takes longer has hung. It bounds a wait and measures nothing: a busy machine must not come near it."""
