"""The local AWS: MiniStack as a child process, bound to loopback, with IAM enforced."""

from local.emulator.process import Emulator, EmulatorError

__all__ = ["Emulator", "EmulatorError"]
