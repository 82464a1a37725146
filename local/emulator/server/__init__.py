"""The process that is the local AWS: MiniStack, and what it lacks.

Runs in the emulator's own environment (`requirements/emulator.txt`); `local.emulator.process` starts it.
What differs from AWS, and what is supplied here, is listed in `docs/local-aws.md`.
"""
