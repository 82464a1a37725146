"""Suppressed actions: the six examples of CloudWatch's guide: a wait is 2, an extension 3 long."""

from __future__ import annotations

from local.cloudwatch.suppression import Suppression


class Story:
    """Tells when a composite acts: its own changes and those of its suppressor, by time."""

    def __init__(self, changes: set[int], suppressing: range | None = None) -> None:
        self.suppression = Suppression(wait=2, extension=3)
        self.acted: list[int] = []
        self.reasons: dict[int, str | None] = {}
        for now in range(12):
            active = suppressing is not None and now in suppressing
            if now in changes:
                self.suppression.changed(now, active)
            if self.suppression.due(now, active):
                self.acted.append(now)
            self.reasons[now] = self.suppression.by


def test_example_1_actions_are_taken_after_the_wait() -> None:
    story = Story(changes={2})
    assert story.acted == [4]
    assert story.reasons == {**dict.fromkeys(range(12)), 2: "WaitPeriod", 3: "WaitPeriod"}


def test_example_2_a_suppressor_within_the_wait_holds_the_actions_back() -> None:
    story = Story(changes={2}, suppressing=range(3, 12))
    assert story.acted == []
    assert (story.reasons[2], story.reasons[3], story.reasons[11]) == ("WaitPeriod", "Alarm", "Alarm")


def test_example_3_another_change_starts_another_wait() -> None:
    assert Story(changes={2, 3}).acted == [5]


def test_example_4_a_suppressor_in_alarm_holds_the_actions_back() -> None:
    assert Story(changes={2}, suppressing=range(1, 12)).acted == []


def test_example_5_actions_are_taken_after_the_extension() -> None:
    story = Story(changes={2}, suppressing=range(3, 6))
    assert story.acted == [9]
    assert [story.reasons[now] for now in (5, 6, 8, 9)] == [
        "Alarm",
        "ExtensionPeriod",
        "ExtensionPeriod",
        None,
    ]


def test_example_6_a_change_within_the_extension_starts_a_wait() -> None:
    story = Story(changes={2, 7}, suppressing=range(3, 6))
    assert story.reasons[7] == "WaitPeriod"
    assert story.acted == [9]


def test_a_suppressor_that_comes_and_goes_without_a_change_causes_no_action() -> None:
    assert Story(changes=set(), suppressing=range(3, 6)).acted == []
