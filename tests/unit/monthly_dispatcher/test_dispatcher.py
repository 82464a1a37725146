"""The dispatcher: what is in the queue and on the run row, whatever happens on the way."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from job_runtime import aws
from job_runtime.config import ConfigurationError, Settings
from job_runtime.envelope import MalformedMessageError
from job_runtime.outbox import NotTakenError
from job_runtime.period import ScheduleError
from monthly_dispatcher.dispatcher import Dispatcher, DispatchError
from monthly_dispatcher.wiring import build
from tests.support.clock import FakeClock
from tests.support.dispatch import Invocation, drain, enter, keys, refusing
from tests.support.job import Job
from tests.support.lambda_context import FakeContext

FIRED = {
    "job": "charge",
    "scheduled_time": "2026-11-30T18:00:00Z",
    "schedule_arn": "arn:aws:scheduler:ap-northeast-1:111122223333:schedule/charge/dispatch",
    "execution_id": "d32c5kddcf5bb8c3",
    "attempt_number": "1",
}


class Killed(BaseException):
    """The end of the process, as far as the code under test can tell."""


def run_row(job: Job, period: str = "2026-11") -> dict[str, Any]:
    row = job.row("run#charge", period)
    assert row is not None
    return row


@pytest.fixture
def dispatcher(job: Job, clock: FakeClock) -> Dispatcher:
    return build(Settings(job.environment(TIMEZONE="Asia/Tokyo", PAGE_SIZE="10")), clock)


@pytest.fixture
def handed_over(mocked_aws: None, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The events that the function sent to itself."""
    events: list[dict[str, Any]] = []

    def invoke(*, FunctionName: str, InvocationType: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803
        assert (FunctionName, InvocationType) == (FakeContext.invoked_function_arn, "Event")
        events.append(json.loads(Payload))
        return {"StatusCode": 202}

    monkeypatch.setattr(aws.lambda_(), "invoke", invoke)
    return events


def test_every_employee_is_sent_once_with_the_month_of_the_schedules_zone(
    job: Job, dispatcher: Dispatcher
) -> None:
    enter("t1", range(25))
    enter("t2", range(3))
    summary = dispatcher(FIRED, Invocation())
    assert summary == {
        "run_id": "charge-2026-11",
        "state": "dispatched",
        "expected": 28,
        "sent": 28,
        "skipped": 0,
        "failed": 0,
        "pages": 4,
        "continued": False,
        "superseded": False,
    }
    bodies = drain(job)
    assert {body["idempotency_key"] for body in bodies} == keys("t1", range(25)) | keys("t2", range(3))
    assert len(bodies) == 28
    for body in bodies:
        assert body["period"] == "2026-11"
        assert body["run_id"] == "charge-2026-11"
        assert body["group"] == f"{body['tenant_id']}#2026-11"
        assert body["scheduled_time"] == FIRED["scheduled_time"]


def test_the_employees_of_a_group_are_in_the_directorys_order_across_pages(
    job: Job, dispatcher: Dispatcher
) -> None:
    enter("t1", range(35))
    dispatcher(FIRED, Invocation())
    assert [body["employee_id"] for body in drain(job)] == [f"e{n:04}" for n in range(35)]


def test_the_wall_clock_has_no_say_in_the_month(job: Job, dispatcher: Dispatcher, clock: FakeClock) -> None:
    enter("t1", range(2))
    clock.advance(40 * 86_400)
    assert dispatcher(FIRED, Invocation())["run_id"] == "charge-2026-11"


def test_an_employee_of_a_tenant_that_is_not_in_the_directory_is_sent_all_the_same(
    job: Job, dispatcher: Dispatcher
) -> None:
    enter("nobody", range(1))
    assert dispatcher(FIRED, Invocation())["sent"] == 1


def test_an_empty_directory_is_a_finished_run(job: Job, dispatcher: Dispatcher) -> None:
    assert dispatcher(FIRED, Invocation())["state"] == "dispatched"
    assert (run_row(job)["expected"], run_row(job)["state"]) == (0, "dispatched")


def test_one_bad_record_is_skipped_and_the_others_are_sent(job: Job, dispatcher: Dispatcher) -> None:
    enter("t1", range(15))
    enter("t1", [7], amount={"N": "0.5"}, currency={"S": "JPY"})
    summary = dispatcher(FIRED, Invocation())
    assert (summary["sent"], summary["skipped"], summary["expected"]) == (14, 1, 14)
    assert {body["idempotency_key"] for body in drain(job)} == keys("t1", {*range(15)} - {7})


@pytest.mark.parametrize("minutes", [0.7, 6])
def test_a_double_firing_sends_nothing_new_and_is_counted(
    job: Job,
    dispatcher: Dispatcher,
    clock: FakeClock,
    capsys: pytest.CaptureFixture[str],
    minutes: float,
) -> None:
    enter("t1", range(12))
    dispatcher(FIRED, Invocation("r1"))
    assert len(drain(job)) == 12
    capsys.readouterr()
    clock.advance(60 * minutes)
    summary = dispatcher(FIRED, Invocation("r2"))
    assert (summary["state"], summary["pages"], summary["sent"]) == ("dispatched", 0, 12)
    assert drain(job) == []
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["DuplicateRun"] == [1.0]
    assert run_row(job)["fires"] == 2


def test_lambdas_own_retry_is_no_second_firing(
    job: Job, dispatcher: Dispatcher, capsys: pytest.CaptureFixture[str]
) -> None:
    enter("t1", range(2))
    dispatcher(FIRED, Invocation("r1"))
    dispatcher(FIRED, Invocation("r1"))
    assert run_row(job)["fires"] == 1
    assert "DuplicateRun" not in capsys.readouterr().out


def test_a_second_firing_that_lambda_tries_again_is_counted_once(
    job: Job, dispatcher: Dispatcher, capsys: pytest.CaptureFixture[str]
) -> None:
    enter("t1", range(2))
    dispatcher(FIRED, Invocation("r1"))
    dispatcher(FIRED, Invocation("r2"))
    capsys.readouterr()
    dispatcher(FIRED, Invocation("r2"))
    assert run_row(job)["fires"] == 2
    assert "DuplicateRun" not in capsys.readouterr().out


def kill_at(monkeypatch: pytest.MonkeyPatch, point: int, *, after: bool) -> Callable[[], int]:
    """End the process at the `point`-th call to AWS, before it is made or after it took effect."""
    made = 0

    def guarded(call: Callable[..., Any]) -> Callable[..., Any]:
        def guard(*arguments: Any, **options: Any) -> Any:
            nonlocal made
            made += 1
            if made > point or (made == point and not after):
                raise Killed
            answer = call(*arguments, **options)
            if made == point:
                raise Killed
            return answer

        return guard

    for client, name in (
        (aws.dynamodb(), "scan"),
        (aws.dynamodb(), "update_item"),
        (aws.sqs(), "send_message_batch"),
    ):
        monkeypatch.setattr(client, name, guarded(getattr(client, name)))
    return lambda: made


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
@pytest.mark.parametrize("point", range(1, 11))
def test_a_run_killed_at_any_call_goes_on_to_the_same_end(
    job: Job, dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch, point: int, after: bool
) -> None:
    enter("t1", range(27))
    enter("t2", range(1))
    with monkeypatch.context() as killing:
        calls = kill_at(killing, point, after=after)
        with pytest.raises(Killed):
            dispatcher(FIRED, Invocation("r1"))
        assert calls() >= point
    summary = dispatcher(FIRED, Invocation("r1"))
    assert (summary["expected"], summary["sent"], summary["failed"]) == (28, 28, 0)
    bodies = drain(job)
    assert len(bodies) == 28
    assert {body["idempotency_key"] for body in bodies} == keys("t1", range(27)) | keys("t2", range(1))
    row = run_row(job)
    assert (row["state"], row["expected"], row["sent"], row["fires"]) == ("dispatched", 28, 28, 1)


def test_a_run_resumes_behind_its_last_checkpoint_not_from_the_beginning(
    job: Job, dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(30))
    with monkeypatch.context() as killing:
        # begin; scan, ten sends, checkpoint of two pages; then the scan of the third
        kill_at(killing, 1 + 2 * 12 + 1, after=False)
        with pytest.raises(Killed):
            dispatcher(FIRED, Invocation())
    assert (run_row(job)["sent"], run_row(job)["state"]) == (20, "dispatching")
    assert dispatcher(FIRED, Invocation())["pages"] == 2


def test_time_running_short_hands_the_run_over_and_the_tail_is_not_lost(
    job: Job, dispatcher: Dispatcher, handed_over: list[dict[str, Any]]
) -> None:
    enter("t1", range(90))

    class Running(Invocation):
        """Lambda's time, which falls under 3 s when 30 employees are sent."""

        def get_remaining_time_in_millis(self) -> int:
            return 60_000 if run_row(job)["sent"] < 30 else 2_999

    summary = dispatcher(FIRED, Running("r1"))
    assert (summary["continued"], summary["sent"], summary["state"]) == (True, 30, "dispatching")
    (event,) = handed_over
    assert event == {
        **FIRED,
        "run_id": "charge-2026-11",
        "fire_id": "r1",
        "cursor": {"pk": "t1", "sk": "employee#e0029"},
    }
    rest = dispatcher(event, Invocation("r2"))
    assert (rest["continued"], rest["sent"], rest["state"]) == (False, 90, "dispatched")
    assert {body["idempotency_key"] for body in drain(job)} == keys("t1", range(90))
    assert run_row(job)["fires"] == 1


def test_a_chain_of_hand_overs_ends_however_little_time_each_invocation_has(
    job: Job, dispatcher: Dispatcher, handed_over: list[dict[str, Any]]
) -> None:
    enter("t1", range(45))
    event: Any = FIRED
    for request in range(6):
        summary = dispatcher(event, Invocation(f"r{request}", remaining=100))
        if not summary["continued"]:
            break
        event = handed_over[-1]
    assert (summary["state"], summary["sent"], len(handed_over)) == ("dispatched", 45, 4)


def test_pages_that_take_long_are_left_to_the_next_invocation_in_time(
    job: Job, clock: FakeClock, handed_over: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(30))
    dispatcher = build(Settings(job.environment(TIMEZONE="Asia/Tokyo", PAGE_SIZE="10")), clock)
    context = Invocation(remaining=60_000)
    scan = aws.dynamodb().scan

    def slow(**options: Any) -> Any:
        clock.advance(40)
        context.remaining -= 40_000
        return scan(**options)

    monkeypatch.setattr(aws.dynamodb(), "scan", slow)
    summary = dispatcher(FIRED, context)
    assert (summary["pages"], summary["continued"]) == (1, True)


def test_a_hand_over_that_is_delivered_twice_or_late_changes_nothing(
    job: Job, dispatcher: Dispatcher, handed_over: list[dict[str, Any]]
) -> None:
    enter("t1", range(30))
    dispatcher(FIRED, Invocation("r1", remaining=100))
    (event,) = handed_over
    assert dispatcher(event, Invocation("r2"))["state"] == "dispatched"
    late = dispatcher(event, Invocation("r3"))
    assert (late["pages"], late["sent"], late["expected"]) == (0, 30, 30)
    assert run_row(job)["fires"] == 1


def test_a_hand_over_whose_invocation_was_killed_goes_on_where_that_stopped(
    job: Job, dispatcher: Dispatcher, handed_over: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(40))
    dispatcher(FIRED, Invocation("r1", remaining=100))
    (event,) = handed_over
    with monkeypatch.context() as killing:
        # begin; scan, ten sends, checkpoint of one page; then the scan of the next
        kill_at(killing, 1 + 12 + 1, after=False)
        with pytest.raises(Killed):
            dispatcher(event, Invocation("r2"))
    assert run_row(job)["sent"] == 20
    assert dispatcher(event, Invocation("r2"))["pages"] == 3
    assert len(drain(job)) == 40


def test_the_invocation_fails_when_it_cannot_hand_over(
    job: Job, dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(30))

    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "Invoke")

    monkeypatch.setattr(aws.lambda_(), "invoke", refuse)
    with pytest.raises(ClientError, match="AccessDenied"):
        dispatcher(FIRED, Invocation("r1", remaining=100))
    assert dispatcher(FIRED, Invocation("r1"))["sent"] == 30


def test_of_two_dispatchers_on_one_run_the_one_behind_stops_and_pages_count_once(
    job: Job, dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(30))
    send, overtaken = aws.sqs().send_message_batch, False

    def overtake(**options: Any) -> Any:
        nonlocal overtaken
        answer = send(**options)
        if not overtaken:
            overtaken = True
            assert dispatcher(FIRED, Invocation("r2"))["state"] == "dispatched"
        return answer

    monkeypatch.setattr(aws.sqs(), "send_message_batch", overtake)
    summary = dispatcher(FIRED, Invocation("r1"))
    assert (summary["superseded"], summary["pages"]) == (True, 0)
    assert (run_row(job)["sent"], run_row(job)["expected"], run_row(job)["fires"]) == (30, 30, 2)
    assert len(drain(job)) == 30


def test_a_run_that_leaves_messages_unsent_accounts_for_all_and_then_fails(
    job: Job, dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(30))
    (bad,) = keys("t1", [3])
    with monkeypatch.context() as faulty:
        refuse = refusing(bad, aws.sqs().send_message_batch, times=10**6, for_good=True)
        faulty.setattr(aws.sqs(), "send_message_batch", refuse)
        with pytest.raises(DispatchError, match="did not take 1 of 30 messages"):
            dispatcher(FIRED, Invocation("r1"))
    row = run_row(job)
    assert (row["state"], row["expected"], row["sent"], row["failed"]) == ("dispatched", 30, 29, 1)

    summary = dispatcher(FIRED, Invocation("r1"))
    assert (summary["expected"], summary["sent"], summary["failed"]) == (30, 30, 0)
    bodies = drain(job)
    assert {body["idempotency_key"] for body in bodies} == keys("t1", range(30))
    assert len(bodies) == 30


def test_a_run_stops_at_the_page_of_a_message_that_sqs_may_take_later_so_that_nothing_passes_it(
    job: Job, dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(30))
    (bad,) = keys("t1", [13])
    with monkeypatch.context() as faulty:
        faulty.setattr(
            aws.sqs(), "send_message_batch", refusing(bad, aws.sqs().send_message_batch, times=10**6)
        )
        with pytest.raises(NotTakenError, match="did not take 7 messages"):
            dispatcher(FIRED, Invocation("r1"))
    assert (run_row(job)["state"], run_row(job)["sent"]) == ("dispatching", 10)

    summary = dispatcher(FIRED, Invocation("r1"))
    assert (summary["expected"], summary["sent"], summary["failed"]) == (30, 30, 0)
    assert [body["employee_id"] for body in drain(job)] == [f"e{number:04}" for number in range(30)]


def test_a_message_refused_for_a_moment_is_sent_in_the_same_run(
    job: Job, dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    enter("t1", range(5))
    (bad,) = keys("t1", [3])
    monkeypatch.setattr(aws.sqs(), "send_message_batch", refusing(bad, aws.sqs().send_message_batch, times=2))
    assert dispatcher(FIRED, Invocation())["sent"] == 5
    assert len(clock.pauses) == 2


def test_a_queue_that_is_gone_fails_the_invocation_with_the_run_unfinished(
    job: Job, dispatcher: Dispatcher
) -> None:
    enter("t1", range(5))
    job.sqs.delete_queue(QueueUrl=job.queue_url)
    with pytest.raises(ClientError, match="NonExistentQueue"):
        dispatcher(FIRED, Invocation())
    assert (run_row(job)["state"], run_row(job)["expected"]) == ("dispatching", 0)


def test_metrics_are_published_when_the_invocation_fails_too(
    job: Job, dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter("t1", range(2))
    (bad,) = keys("t1", [1])
    monkeypatch.setattr(
        aws.sqs(),
        "send_message_batch",
        refusing(bad, aws.sqs().send_message_batch, times=10**6, for_good=True),
    )
    with pytest.raises(DispatchError):
        dispatcher(FIRED, Invocation())
    metrics = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (metrics["Dispatched"], metrics["DispatchFailed"]) == ([1.0], [1.0])


def test_the_co2_job_is_served_by_the_same_function(job: Job, clock: FakeClock) -> None:
    emissions = {"L": [{"M": {"category": {"S": "rail"}, "grams": {"N": "10"}}}]}
    enter("t1", range(2), emissions=emissions)
    dispatcher = build(Settings(job.environment("co2", TIMEZONE="Asia/Tokyo")), clock)
    assert dispatcher({**FIRED, "job": "co2"}, Invocation())["run_id"] == "co2-2026-11"
    assert [body["payload"] for body in drain(job)] == [
        {"emissions": [{"category": "rail", "grams": 10}]}
    ] * 2


@pytest.mark.parametrize(
    ("change", "error", "field"),
    [
        ({"scheduled_time": "<aws.scheduler.scheduled-time>"}, ScheduleError, "scheduled_time"),
        ({"scheduled_time": "\\u003caws.scheduler.scheduled-time\\u003e"}, ScheduleError, "scheduled_time"),
        ({"scheduled_time": "2026-12-01T03:00:00+09:00"}, ScheduleError, "scheduled_time"),
        ({"scheduled_time": None}, ScheduleError, "scheduled_time"),
        ({"job": "co2"}, ScheduleError, "job"),
        ({"job": 1}, MalformedMessageError, r"event\.job"),
        ({"run_id": "charge-2026-10", "fire_id": "r1"}, ScheduleError, "run_id"),
        ({"run_id": "charge-2026-11"}, MalformedMessageError, "event"),
        ({"cursor": {"pk": "t1", "sk": "s"}}, MalformedMessageError, "event"),
        ({"run_id": "charge-2026-11", "fire_id": "r1", "cursor": {"pk": 1}}, MalformedMessageError, "event"),
        ({"execution_id": 5}, MalformedMessageError, r"event\.execution_id"),
    ],
)
def test_an_event_that_breaks_a_rule_is_refused_by_field_before_anything_is_written(
    job: Job, dispatcher: Dispatcher, change: dict[str, Any], error: type[Exception], field: str
) -> None:
    enter("t1", range(1))
    with pytest.raises(error, match=rf"^{field}"):
        dispatcher({**FIRED, **change}, Invocation())
    assert job.rows() == []
    assert drain(job) == []


@pytest.mark.parametrize("event", [None, [], "charge", {}, {"job": "charge"}, {"scheduled_time": "x"}])
def test_what_is_no_event_of_a_schedule_is_refused(dispatcher: Dispatcher, event: Any) -> None:
    with pytest.raises(MalformedMessageError, match=r"^event"):
        dispatcher(event, Invocation())


def test_the_handler_starts_from_its_environment(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in job.environment(TIMEZONE="Asia/Tokyo").items():
        monkeypatch.setenv(name, value)
    from monthly_dispatcher.handler import handler  # noqa: PLC0415 - importing it is the cold start

    enter("t1", range(3))
    assert handler(FIRED, Invocation())["sent"] == 3


def test_a_wrong_environment_fails_the_cold_start_by_name(job: Job, clock: FakeClock) -> None:
    with pytest.raises(ConfigurationError, match=r"^TIMEZONE is not set"):
        build(Settings(job.environment()), clock)
