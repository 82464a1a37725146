"""The payment API of the demo: it takes the money and then fails in the ways such APIs do."""

from __future__ import annotations

from collections import Counter
from typing import Any

from local.payment_stub import Fault, PaymentStub

FAULTS = {Fault.TOOK_503: 10, Fault.TOOK_DROPS: 33, Fault.REFUSED_503: 27}


def report(api: PaymentStub, expected: int) -> dict[str, Any]:
    """Return what was captured: how often in all, for how many keys more than once, and what went wrong."""
    keys = Counter(capture.key for capture in api.captures)
    return {
        "expected": expected,
        "captured": len(api.captures),
        "captured_twice": sum(times > 1 for times in keys.values()),
        "took_the_money_and_failed": api.met[Fault.TOOK_503] + api.met[Fault.TOOK_DROPS],
        "refused_for_now": api.met[Fault.REFUSED_503],
    }
