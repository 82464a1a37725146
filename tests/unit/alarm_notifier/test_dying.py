"""A notifier that dies at any call, before or after it took effect: what is delivered again ends in one
message."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from botocore.client import BaseClient

from job_runtime.outside_http import OutsideApi
from tests.support.slack import alarm, composite, error_line, log_event
from tests.unit.alarm_notifier.conftest import Bench

MINUTE = timedelta(minutes=1)
CALLS_AT_MOST = 40


class Death(BaseException):
    """The process is gone: nothing is caught, nothing is tidied up."""


class Fate:
    """Counts calls to AWS and Slack; the `last` of them is the end, before or after it took effect."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        self.last = 0
        self.after = False
        for owner, name in ((BaseClient, "_make_api_call"), (OutsideApi, "request")):
            monkeypatch.setattr(owner, name, self._counting(getattr(owner, name)))

    def _counting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            if 0 < self.last < self.calls:
                raise Death  # `finally` blocks run here; in a dead process they do not
            if self.calls == self.last and not self.after:
                raise Death
            answer = call(*arguments, **named)
            if self.calls == self.last:
                raise Death
            return answer

        return counted

    def strike(self, at: int, *, after: bool, act: Callable[[], object]) -> bool:
        """Whether `act` died at its `at`-th call."""
        self.calls, self.last, self.after = 0, at, after
        try:
            act()
        except Death:
            return True
        finally:
            self.last = 0
        return False


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_whatever_call_it_dies_at_one_message_results(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    fate = Fate(monkeypatch)
    deaths = 0
    for at in range(1, CALLS_AT_MOST):
        name = f"service-{at}"
        now = bench.clock.now()
        bodies = [
            body.replace("service: charge", f"service: {name}").replace("prod-charge", name)
            for body in (alarm("function-errors", now, severity="warning"), composite("broken", now))
        ]

        def begin(bodies: list[str] = bodies) -> None:
            assert bench.deliver(bodies[0]) == []
            assert bench.deliver(bodies[1]) == []

        died = fate.strike(at, after=after, act=begin)
        deaths += died
        bench.clock.advance(91)
        for body in bodies:
            assert bench.deliver(body) == []
        messages = [m for m in bench.slack.incidents() if f"*{name} is broken*" in m.text]
        assert len(messages) == 1, f"died at call {at}"
        assert "critical: function-errors" in messages[0].text
        assert messages[0].channel == "C0CRITICAL"
        milder = [m for m in bench.slack.incidents() if m.channel == "C0WARNING"]
        assert len(milder) == at, "one a service"
        assert all("goes on in <#C0CRITICAL>" in message.text for message in milder)
        if not died:
            break
    assert 10 < deaths < CALLS_AT_MOST - 1, "every call had its turn"


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_whatever_call_it_dies_at_lines_are_counted_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    fate = Fate(monkeypatch)
    deaths = 0
    for at in range(1, CALLS_AT_MOST):
        name = f"service-{at}"
        event = log_event(error_line("a", service=name), error_line("a", service=name), stream=name)
        bench.log(event)
        bodies = [f'{{"kind":"error-lines","service":"{name}","delivery":"d","kinds":[{KIND}]}}']

        def more(bodies: list[str] = bodies) -> None:
            assert bench.deliver(*bodies) == []

        died = fate.strike(at, after=after, act=more)
        deaths += died
        bench.clock.advance(91)
        more()
        (message,) = [m for m in bench.slack.incidents() if f"*{name}*" in m.text]
        assert "5x prod-charge-consumer: a" in message.text
        if not died:
            break
    assert 5 < deaths < CALLS_AT_MOST - 1, "every call had its turn"


KIND = '{"function":"prod-charge-consumer","text":"a","severity":"warning","count":3}'
