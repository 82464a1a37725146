"""The audit: what it finds, writes down, counts, and sends again."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from job_runtime import aws
from job_runtime.config import Settings
from job_runtime.directory import Row
from job_runtime.envelope import MalformedMessageError
from job_runtime.period import ScheduleError
from job_runtime.runs import Runs
from monthly_dispatcher.wiring import build as build_dispatcher
from run_auditor.auditor import Auditor, RedispatchError
from run_auditor.comparison import Finding, Ledger, compare
from run_auditor.key_log import KEYS_A_LINE, LINES
from run_auditor.wiring import build
from tests.support.clock import FakeClock
from tests.support.dispatch import Invocation, drain, enter, keys, refusing
from tests.support.job import DIRECTORY_TABLE, JOB_TABLE, Job

FIRED = {"job": "charge", "scheduled_time": "2026-11-30T18:00:00Z"}
LATER = {"job": "charge", "scheduled_time": "2026-12-01T00:00:00Z"}


def environment(job: Job) -> Settings:
    return Settings(job.environment(TIMEZONE="Asia/Tokyo", PAGE_SIZE="10"))


@pytest.fixture
def auditor(job: Job, clock: FakeClock) -> Auditor:
    return build(environment(job), clock)


def dispatch(job: Job, clock: FakeClock) -> None:
    build_dispatcher(environment(job), clock)(FIRED, Invocation())


def prove(tenant: str, employees: Iterable[int], *, job: str = "charge", period: str = "2026-11") -> None:
    """Enter the rows that a consumer leaves."""
    for number in employees:
        item: Any = {"pk": {"S": tenant}, "sk": {"S": f"{job}#{period}#e{number:04}"}}
        aws.dynamodb().put_item(TableName=JOB_TABLE, Item=item)


def remove(tenant: str, number: int) -> None:
    aws.dynamodb().delete_item(
        TableName=DIRECTORY_TABLE, Key={"pk": {"S": tenant}, "sk": {"S": f"employee#e{number:04}"}}
    )


def row(job: Job) -> dict[str, Any]:
    found = job.row("run#charge", "2026-11")
    assert found is not None
    return found


def counted(capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    """What the last invocation published, by the metric's name."""
    document: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    (directive,) = document["_aws"]["CloudWatchMetrics"]
    return {metric["Name"]: sum(document[metric["Name"]]) for metric in directive["Metrics"]}


def logged(caplog: pytest.LogCaptureFixture, text: str) -> list[dict[str, Any]]:
    return [vars(record) for record in caplog.records if record.getMessage() == text]


def test_a_run_whose_every_effect_is_proven_is_verified(
    job: Job, auditor: Auditor, clock: FakeClock, capsys: pytest.CaptureFixture[str]
) -> None:
    enter("t1", range(25))
    enter("t2", range(3))
    dispatch(job, clock)
    prove("t1", range(25))
    prove("t2", range(3))
    capsys.readouterr()
    assert auditor(LATER, Invocation("a1")) == {
        "run_id": "charge-2026-11",
        "started": True,
        "finished": True,
        "expected": 28,
        "proven": 28,
        "missing": 0,
        "written_off": 0,
        "extra": 0,
        "unconfirmed": 0,
        "redispatched": 0,
        "verdict": "verified",
    }
    assert (row(job)["state"], row(job)["missing"], row(job)["extra"]) == ("verified", 0, 0)
    assert counted(capsys) == {"RunMissing": 0, "RunLate": 0, "RunMissingItems": 0}


def test_missing_effects_are_counted_named_by_key_and_make_the_run_incomplete(
    job: Job,
    auditor: Auditor,
    clock: FakeClock,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    enter("t1", range(25))
    enter("t2", range(3))
    dispatch(job, clock)
    prove("t1", {*range(25)} - {0, 11, 24})
    summary = auditor(LATER, Invocation("a1"))
    assert (summary["proven"], summary["missing"], summary["verdict"]) == (22, 6, "incomplete")
    assert (row(job)["state"], row(job)["missing"]) == ("incomplete", 6)
    assert counted(capsys) == {"RunMissing": 0, "RunLate": 0, "RunMissingItems": 6}
    (line,) = logged(caplog, "missing from the ledger")
    assert set(line["idempotency_keys"]) == keys("t1", [0, 11, 24]) | keys("t2", range(3))
    assert (line["levelname"], line["run_id"]) == ("ERROR", "charge-2026-11")


def test_no_personal_data_reaches_the_log(
    job: Job, auditor: Auditor, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    enter("Hanako-Inc", range(2))
    prove("Hanako-Inc", [7])
    auditor(LATER, Invocation())
    assert caplog.records
    for record in caplog.records:
        assert "Hanako" not in str(vars(record))
        assert "e0001" not in str(vars(record))


def test_effects_of_other_jobs_months_and_tenants_prove_nothing(
    job: Job, auditor: Auditor, clock: FakeClock
) -> None:
    enter("t1", range(2))
    dispatch(job, clock)
    prove("t1", range(2), job="co2")
    prove("t1", range(2), period="2026-10")
    prove("t2", range(2))
    assert auditor(LATER, Invocation())["missing"] == 2


def test_an_effect_for_someone_who_is_not_in_the_directory_is_told(
    job: Job, auditor: Auditor, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    enter("t1", range(3))
    dispatch(job, clock)
    prove("t1", range(5))
    summary = auditor(LATER, Invocation())
    assert (summary["proven"], summary["extra"], summary["verdict"]) == (3, 2, "verified")
    (line,) = logged(caplog, "in the ledger but not in the directory")
    assert set(line["idempotency_keys"]) == keys("t1", [3, 4])
    (told,) = logged(caplog, "audit")
    assert told["levelname"] == "ERROR"


def test_a_tenant_whose_employees_have_all_left_still_has_its_effects_looked_at(
    job: Job, auditor: Auditor, clock: FakeClock
) -> None:
    enter("t1", range(2))
    dispatch(job, clock)
    prove("t1", range(2))
    remove("t1", 0)
    remove("t1", 1)
    assert auditor(LATER, Invocation())["extra"] == 2


def test_a_dispatched_employee_who_left_uncharged_is_not_forgotten(
    job: Job, auditor: Auditor, clock: FakeClock
) -> None:
    enter("t1", range(5))
    dispatch(job, clock)
    prove("t1", range(4))
    remove("t1", 4)
    summary = auditor(LATER, Invocation())
    assert (summary["missing"], summary["unconfirmed"], summary["verdict"]) == (0, 1, "incomplete")
    assert row(job)["missing"] == 1


def test_an_employee_whose_record_was_skipped_is_missing(
    job: Job, auditor: Auditor, clock: FakeClock
) -> None:
    enter("t1", range(3))
    enter("t1", [1], amount={"S": "lots"}, currency={"S": "JPY"})
    dispatch(job, clock)
    prove("t1", [0, 2])
    assert auditor(LATER, Invocation())["missing"] == 1


def test_a_run_that_never_started_is_reported_and_can_still_start(
    job: Job, auditor: Auditor, clock: FakeClock, capsys: pytest.CaptureFixture[str]
) -> None:
    enter("t1", range(4))
    summary = auditor(LATER, Invocation())
    assert (summary["started"], summary["finished"], summary["missing"]) == (False, False, 4)
    assert summary["verdict"] == row(job)["state"] == "incomplete"
    assert counted(capsys) == {"RunMissing": 1, "RunLate": 0}
    again = auditor(LATER, Invocation())
    assert (again["started"], again["verdict"]) == (False, "incomplete")
    assert counted(capsys) == {"RunMissing": 1, "RunLate": 0}
    dispatch(job, clock)
    assert (row(job)["state"], row(job)["sent"]) == ("dispatched", 4)


def test_a_run_that_never_started_is_told_even_when_nobody_is_there_to_charge(
    job: Job, auditor: Auditor, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = auditor(LATER, Invocation())
    assert (summary["missing"], summary["finished"], summary["verdict"]) == (0, False, "incomplete")
    assert counted(capsys) == {"RunMissing": 1, "RunLate": 0}


def begin(job: Job, clock: FakeClock) -> None:
    """Leave the run as a dispatcher does that dies before its first page."""
    runs = Runs(aws.dynamodb(), JOB_TABLE, clock=clock, writer="killed")
    runs.begin("charge", "2026-11", fire="f1", scheduled_time=FIRED["scheduled_time"])


def test_a_run_that_is_still_dispatching_is_late_and_what_it_lacks_is_missing(
    job: Job,
    auditor: Auditor,
    clock: FakeClock,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    enter("t1", range(4))
    begin(job, clock)
    prove("t1", range(3))
    summary = auditor(LATER, Invocation())
    assert (summary["started"], summary["finished"], summary["verdict"]) == (True, False, "incomplete")
    assert counted(capsys) == {"RunMissing": 0, "RunLate": 1, "RunMissingItems": 1}
    (told,) = logged(caplog, "audit")
    assert told["levelname"] == "ERROR"


def test_a_late_run_is_told_even_when_nothing_is_missing(
    job: Job,
    auditor: Auditor,
    clock: FakeClock,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    begin(job, clock)
    assert auditor(LATER, Invocation())["verdict"] == "incomplete"
    assert counted(capsys) == {"RunMissing": 0, "RunLate": 1, "RunMissingItems": 0}
    (told,) = logged(caplog, "audit")
    assert told["levelname"] == "ERROR"


def test_an_incomplete_run_is_verified_by_a_later_audit(job: Job, auditor: Auditor, clock: FakeClock) -> None:
    enter("t1", range(3))
    dispatch(job, clock)
    prove("t1", range(2))
    assert auditor(LATER, Invocation())["verdict"] == "incomplete"
    prove("t1", [2])
    assert auditor(LATER, Invocation())["verdict"] == "verified"


def test_what_is_written_off_is_told_with_its_reason_and_neither_missing_nor_sent_again(
    job: Job, auditor: Auditor, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    enter("t1", range(3))
    dispatch(job, clock)
    drain(job)
    prove("t1", [0])
    (key,) = keys("t1", [1])
    job.dynamodb.put_item(
        TableName=JOB_TABLE,
        Item={
            "pk": {"S": "written-off#charge"},
            "sk": {"S": f"2026-11#{key}"},
            "reason": {"S": "left the company"},
        },
    )
    clock.advance(600)
    summary = auditor({**LATER, "redispatch": True}, Invocation())
    assert (summary["missing"], summary["written_off"], summary["redispatched"]) == (1, 1, 1)
    (line,) = logged(caplog, "written off")
    assert (line["idempotency_key"], line["reason"]) == (key, "left the company")
    prove("t1", [2])
    assert auditor(LATER, Invocation())["verdict"] == "verified"


def test_redispatch_sends_exactly_what_is_missing_with_the_same_keys(
    job: Job, auditor: Auditor, clock: FakeClock
) -> None:
    enter("t1", range(25))
    enter("t2", range(25))
    prove("t1", range(3, 25))
    prove("t2", range(25))
    summary = auditor({**LATER, "redispatch": True}, Invocation())
    assert (summary["missing"], summary["redispatched"], summary["verdict"]) == (3, 3, "incomplete")
    bodies = drain(job)
    assert {body["idempotency_key"] for body in bodies} == keys("t1", range(3))
    assert {body["period"] for body in bodies} == {"2026-11"}
    assert {body["run_id"] for body in bodies} == {"charge-2026-11"}


def test_redispatch_of_more_than_a_page_sends_all_of_it(job: Job, auditor: Auditor) -> None:
    enter("t1", range(25))
    assert auditor({**LATER, "redispatch": True}, Invocation())["redispatched"] == 25
    assert {body["idempotency_key"] for body in drain(job)} == keys("t1", range(25))


def test_nothing_is_sent_unless_it_is_asked_for(job: Job, auditor: Auditor) -> None:
    enter("t1", range(3))
    assert auditor({**LATER, "redispatch": False}, Invocation())["redispatched"] == 0
    assert auditor(LATER, Invocation())["redispatched"] == 0
    assert drain(job) == []


def test_what_is_sent_again_carries_the_time_of_the_run_when_the_month_is_given_by_hand(
    job: Job, auditor: Auditor, clock: FakeClock
) -> None:
    dispatch(job, clock)
    enter("t1", range(1))
    auditor({"job": "charge", "period": "2026-11", "redispatch": True}, Invocation())
    assert [body["scheduled_time"] for body in drain(job)] == [FIRED["scheduled_time"]]


def test_a_run_that_never_started_is_not_sent_without_a_scheduled_time(job: Job, auditor: Auditor) -> None:
    enter("t1", range(1))
    with pytest.raises(ScheduleError, match=r"^scheduled_time: must be given instead of period"):
        auditor({"job": "charge", "period": "2026-11", "redispatch": True}, Invocation())
    assert drain(job) == []


def test_a_redispatch_that_sqs_refuses_in_part_fails_after_the_verdict(
    job: Job, auditor: Auditor, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(3))
    (bad,) = keys("t1", [1])
    monkeypatch.setattr(
        aws.sqs(), "send_message_batch", refusing(bad, aws.sqs().send_message_batch, times=10**6)
    )
    with pytest.raises(RedispatchError, match="did not take 2 messages"):
        auditor({**LATER, "redispatch": True}, Invocation())
    assert row(job)["state"] == "incomplete"
    assert [body["employee_id"] for body in drain(job)] == ["e0000"]


def test_a_run_that_moves_on_during_the_audit_gets_no_verdict(
    job: Job, auditor: Auditor, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter("t1", range(2))
    scan = aws.dynamodb().scan

    def overtaken(**options: Any) -> Any:
        monkeypatch.setattr(aws.dynamodb(), "scan", scan)
        dispatch(job, clock)
        return scan(**options)

    monkeypatch.setattr(aws.dynamodb(), "scan", overtaken)
    assert auditor(LATER, Invocation())["verdict"] == "none"
    assert (row(job)["state"], "audited_at" in row(job)) == ("dispatched", False)


def test_very_many_keys_are_not_all_listed_but_all_counted(
    job: Job, auditor: Auditor, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("run_auditor.key_log.KEYS_A_LINE", 4)
    monkeypatch.setattr("run_auditor.key_log.LINES", 2)
    enter("t1", range(11))
    assert auditor(LATER, Invocation())["missing"] == 11
    assert [len(line["idempotency_keys"]) for line in logged(caplog, "missing from the ledger")] == [4, 4]
    (more,) = logged(caplog, "missing from the ledger: more than are listed")
    assert more["not_listed"] == 3


def test_a_line_of_keys_stays_within_what_cloudwatch_logs_takes() -> None:
    assert KEYS_A_LINE * 70 < 262_144
    assert KEYS_A_LINE * LINES >= 10_000


@pytest.mark.parametrize(
    ("event", "error", "field"),
    [
        (None, MalformedMessageError, "event"),
        ({}, MalformedMessageError, "event"),
        ({"job": "co2", "period": "2026-11"}, ScheduleError, "job"),
        ({"job": "charge"}, ScheduleError, "scheduled_time, period"),
        ({**FIRED, "period": "2026-11"}, ScheduleError, "scheduled_time, period"),
        ({"job": "charge", "period": None}, ScheduleError, "period"),
        ({"job": "charge", "period": "2026-13"}, ScheduleError, "period"),
        (
            {"job": "charge", "scheduled_time": "<aws.scheduler.scheduled-time>"},
            ScheduleError,
            "scheduled_time",
        ),
        ({**FIRED, "redispatch": "yes"}, MalformedMessageError, r"event\.redispatch"),
        ({**FIRED, "redispatch": 1}, MalformedMessageError, r"event\.redispatch"),
    ],
)
def test_an_event_that_breaks_a_rule_is_refused_by_field(
    job: Job, auditor: Auditor, event: Any, error: type[Exception], field: str
) -> None:
    with pytest.raises(error, match=rf"^{field}: "):
        auditor(event, Invocation())
    assert job.rows() == []


def test_the_handler_starts_from_its_environment(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in job.environment(TIMEZONE="Asia/Tokyo").items():
        monkeypatch.setenv(name, value)
    from run_auditor.handler import handler  # noqa: PLC0415 - importing it is the cold start

    assert handler(LATER, Invocation())["verdict"] == "incomplete"


def test_the_comparison_reads_only_as_far_ahead_as_it_must() -> None:
    read: list[str] = []

    def rows() -> Iterator[Row]:
        for number in range(1000):
            read.append("row")
            yield Row("t1", f"employee#e{number:04}", {})

    def proven(_tenant: str) -> Iterator[str]:
        for number in range(1000):
            read.append("proof")
            yield f"e{number:04}"

    findings = compare(rows(), proven)
    for _ in range(10):
        next(findings)
    assert len(read) <= 2 * 11 + 2


@pytest.mark.parametrize(
    ("directory", "ledger"),
    [
        ("abc", "abc"),
        ("abc", ""),
        ("", "abc"),
        ("ace", "bdf"),
        ("abcf", "cdef"),
        ("aé東", "é東🍣"),
        ("a\uffe5", "a\U0001f363"),
    ],
)
def test_each_employee_is_found_once_and_on_the_right_side(directory: str, ledger: str) -> None:
    rows = [Row("t1", f"employee#{name}", {}) for name in sorted(directory, key=str.encode)]
    rows.append(Row("t1", "tenant", {}))
    findings = list(compare(rows, lambda _tenant: iter(sorted(ledger, key=str.encode))))
    assert {(finding.employee_id, finding.row is not None, finding.proven) for finding in findings} == {
        (name, name in directory, name in ledger) for name in {*directory, *ledger}
    }
    assert len(findings) == len({*directory, *ledger})


def test_the_ledger_is_read_to_its_last_page(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    prove("t1", range(30))
    seen: list[dict[str, Any]] = []

    def small_pages(params: dict[str, Any], **_: Any) -> None:
        seen.append(dict(params))
        params["Limit"] = 7

    client = aws.dynamodb()
    client.meta.events.register("provide-client-params.dynamodb.Query", small_pages)
    employees = list(Ledger(client, JOB_TABLE, "charge").employees("t1", "2026-11"))
    assert employees == [f"e{number:04}" for number in range(30)]
    assert len(seen) == 5
    assert all(call["ConsistentRead"] for call in seen)


def test_a_finding_knows_its_row() -> None:
    (finding,) = compare([Row("t1", "employee#e1", {"amount": 1})], lambda _tenant: iter(()))
    assert finding == Finding("t1", "e1", Row("t1", "employee#e1", {"amount": 1}), proven=False)
