"""How a command ends."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit statuses; argparse itself ends with 2 for wrong use."""

    DONE = 0
    PART = 1
    """Something that was asked for is not done; the output says what."""
    REFUSED = 2
    """Nothing was changed: wrong use, or not confirmed."""
    AWS = 3
    """AWS could not be reached, or said no."""
    INTERRUPTED = 130


class RefusedError(Exception):
    """The command will not do that; the text says why, and what to write instead."""
