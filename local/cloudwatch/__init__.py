"""CloudWatch's documented rules, on a clock that the caller holds: metrics, math, alarms, composites.

Pure: no emulator, no thread, no time of its own. `local.emulator.server` feeds it and acts on its answers.
"""
