"""Which dead letters are meant."""

from datetime import timedelta

import pytest

from job_runtime.dead_letters import DeadLetter
from job_runtime.selection import Selection
from tests.support.clock import FakeClock
from tests.support.sqs_events import charge

HOUR = timedelta(hours=1)


@pytest.fixture
def letter(clock: FakeClock) -> DeadLetter:
    """Here for an hour."""
    texts = {"failure_class": "rejected", "exception": "RejectedError", "source_message_id": "m1"}
    attributes = {name: {"DataType": "String", "StringValue": text} for name, text in texts.items()}
    arrived = clock.now() - HOUR
    return DeadLetter("d1", "r", charge("t1").body(), "t1#2026-11", 1, arrived, 1, None, attributes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fitting", "other"),
    [
        (Selection(classes=frozenset({"rejected", "unknown"})), Selection(classes=frozenset({"unknown"}))),
        (Selection(exceptions=frozenset({"RejectedError"})), Selection(exceptions=frozenset({"KeyError"}))),
        (Selection(tenants=frozenset({"t1"})), Selection(tenants=frozenset({"t2"}))),
        (Selection(groups=frozenset({"t1#2026-11"})), Selection(groups=frozenset({"t1#2026-12"}))),
        (Selection(keys=frozenset({charge("t1").idempotency_key})), Selection(keys=frozenset({"k"}))),
        (Selection(ids=frozenset({"d1"})), Selection(ids=frozenset({"d2"}))),
        (Selection(ids=frozenset({"m1"})), Selection(ids=frozenset({"m2"}))),
        (Selection(older_than=HOUR), Selection(older_than=HOUR + timedelta(seconds=1))),
        (Selection(younger_than=HOUR), Selection(younger_than=HOUR - timedelta(seconds=1))),
        (Selection(), Selection(classes=frozenset({"rejected"}), tenants=frozenset({"t2"}))),
    ],
)
def test_a_letter_meets_every_criterion_or_is_not_meant(
    letter: DeadLetter, clock: FakeClock, fitting: Selection, other: Selection
) -> None:
    assert fitting.meets(letter, clock.now())
    assert not other.meets(letter, clock.now())


def test_a_selection_by_group_leaves_nothing_behind_a_head() -> None:
    assert Selection().is_all
    assert Selection().is_by_group
    assert Selection(groups=frozenset({"g"})).is_by_group
    assert not Selection(groups=frozenset({"g"})).is_all
    assert not Selection(groups=frozenset({"g"}), older_than=HOUR).is_by_group
