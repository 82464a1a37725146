"""How the demo disturbs the month: often enough that each fault strikes, whatever the size of the run."""

from __future__ import annotations

from typing import Any

KILLS = 2
SCHEDULE_FIRES = 2

# Names of the report for what the emulator counts (`local.emulator.server.faults`).
KINDS = {
    "redelivered": "delivered_twice",
    "consumer_killed": "consumers_killed",
    "throttled": "calls_throttled",
    "transaction_conflict": "transactions_cancelled",
    "failed_entry": "batch_entries_failed",
}


def plan(charges: int) -> dict[str, Any]:
    """Return the fault plan for a month of CHARGES, as `Emulator.set_faults` takes it."""
    return {
        "redeliver_every": 50,
        "kill_every": max(charges // (KILLS + 1), 1),
        "kill_at_most": KILLS,
        "kill_function": "charge-consumer",
        "throttle_every": 41,
        "conflict_every": 61,
        "fail_entry_every": 7,
    }


def injected(done: dict[str, int]) -> dict[str, int]:
    """Return the report's `faults_injected` from the emulator's counts; every kind is named, also at zero."""
    return {"schedule_fired_again": SCHEDULE_FIRES - 1} | {
        name: done.get(kind, 0) for kind, name in KINDS.items()
    }
