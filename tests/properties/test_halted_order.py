"""Order under `halt-group`: every interleaving of failure, release, new messages and crashes.

A group of four messages, the consumer and the release that the product runs, on queues and rows in memory.
The state between any two AWS calls of either is one state here: from each, whatever can happen next is tried
(the next call of the consumer or of the operator, a new message, a crash, the cause of the failure mended),
until no state is new. A process is taken on by one call by running it again from its start with the answers
it got before.
"""

import copy
import pickle
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from job_runtime.attempts import Attempts
from job_runtime.consumer import Consumer
from job_runtime.dead_letters import DeadLetterQueue
from job_runtime.effects import Effect
from job_runtime.envelope import Contract, Message
from job_runtime.failures import RejectedError
from job_runtime.halt import Halts
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.quarantine import Quarantine
from job_runtime.records import Record
from job_runtime.sender import Sender
from job_runtime.visibility import Backoff, Visibility
from operations.dlq.release import Release, Step
from tests.support import queues
from tests.support.clock import FakeClock
from tests.support.lambda_context import FakeContext
from tests.support.queues import Queue, Sqs, Stored
from tests.support.rows import Rows
from tests.support.silent import Silent
from tests.support.sqs_events import charge

GROUP = "t1#2026-11"
EMPLOYEES = ("e1", "e2", "e3", "e4")
MAIN, DEAD = "https://sqs/1/charge.fifo", "https://sqs/1/charge-dlq.fifo"
CONTRACT = Contract("charge", PAYLOAD_SCHEMAS["charge"])
BODIES = {name: charge(employee=name).body() for name in EMPLOYEES}
NAMES = {body: name for name, body in BODIES.items()}


MANY = 1_000


class Paused(BaseException):
    """The process has made the one call it was given."""


class Inline:
    """Runs in the caller's thread what would run in a pool: the interleavings are the test's."""

    def __init__(self, **_: Any) -> None: ...

    def submit(self, action: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        try:
            done.set_result(action(*arguments))
        except BaseException as error:  # noqa: BLE001 - as a pool does
            done.set_exception(error)
        return done

    def shutdown(self, **_: Any) -> None: ...


@dataclass
class World:
    """What outlives every process."""

    sqs: Sqs
    rows: Rows = field(default_factory=Rows)
    applied: list[str] = field(default_factory=list)
    sent: int = 0
    mended: bool = False
    tried: bool = False
    """Whether a failing effect has been tried since it was mended."""

    def send_next(self) -> None:
        name = EMPLOYEES[self.sent]
        self.sent += 1
        self.sqs.send_message(
            QueueUrl=MAIN, MessageBody=BODIES[name], MessageGroupId=GROUP, MessageDeduplicationId=name
        )


class Calls:
    """The AWS of a process: the answers it has had, then new calls, up to one that others can notice.

    `most`: no more new calls than that, whatever they are: where the process dies.
    """

    UNNOTICED = frozenset({"transact", "delete_message_batch", "change_message_visibility_batch"})
    """The effect is the consumer's own; nobody but the operator receives from the dead-letter queue. So it
    does not matter when, between two calls of another process, they are made. The same goes for what the
    operator sends while the group is in a consumer's hands: it waits behind."""

    def __init__(self, state: "State", answers: list[Any], most: int) -> None:
        self.world = state.world
        self._whole = state.whole
        self._unnoticed = self.UNNOTICED | ({"send_message_batch"} if state.invocation else set())
        self.answers = answers
        self.made = 0
        self.paused = False
        self._most = most
        self._next = 0
        self._noticed = False

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            target = self.world.sqs if "QueueUrl" in request else self.world.rows
            return self.make(name, lambda: getattr(target, name)(**request))

        return call

    def make(self, name: str, action: Callable[[], Any]) -> Any:
        if self._next < len(self.answers):
            answer = self.answers[self._next]
        elif self._noticed or self.made == self._most:
            self.paused = True
            raise Paused
        else:
            try:
                answer = action()
            except Exception as error:  # noqa: BLE001 - an answer too, and repeated like one
                answer = error
            self.answers.append(copy.deepcopy(answer))
            self.made += 1
            self._noticed = not self._whole and name not in self._unnoticed
        self._next += 1
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class Invocation:
    """A batch in the consumer's hands."""

    batch: list[str]
    event: dict[str, Any]
    answers: list[Any] = field(default_factory=list)


@dataclass
class Operator:
    """A release that runs; `answers` are those of its present step."""

    number: int
    state: dict[str, Any] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)


@dataclass
class State:
    """One state. The budgets are what may still happen."""

    world: World
    invocation: Invocation | None = None
    operator: Operator | None = None
    releases: int = 1
    started: int = 0
    crashes: int = 0
    moves: int = 0
    """How often SQS may move a message by itself that the consumer has begun to park."""
    whole: bool = False
    """Whether a batch and a step of the release are one event each, unless they die in between."""
    made: int = 0
    """Calls of the last event."""
    past: Any = None
    """How it came about: the last event, and the past before it."""

    def fork(self, what: str) -> "State":
        past, self.past = self.past, None
        forked: State = pickle.loads(pickle.dumps(self))  # noqa: S301 - our own, and faster than a deep copy
        self.past = past
        forked.past = (what, past)
        return forked

    def story(self) -> str:
        """The events that led here, one a line."""
        events, past = [], self.past
        while past:
            event, past = past
            events.append(event)
        return "\n".join(reversed(events))

    def key(self) -> str:
        """What makes it the same as another: the names of messages do not, nor how often one was seen."""

        def shown(queue: Queue) -> list[Any]:
            now = self.world.sqs.clock.monotonic()
            return [
                (NAMES[m.body], m.message_id, m.visible_at > now, sorted(_texts(m).items()))
                for m in queue.messages
            ]

        queue, dead = (self.world.sqs.queues[url] for url in (MAIN, DEAD))
        known = sorted(name for name in dead.recent if name.startswith("id-") and dead.recent[name][0])
        text = repr(
            (
                [shown(queue), shown(dead)],
                sorted(self.world.rows.items.items()),
                (self.world.applied, self.world.sent, self.world.mended, known),
                self.invocation and (self.invocation.batch, self.invocation.answers),
                self.operator and (self.operator.state.get("_pending"), self.operator.answers),
                (self.releases, self.crashes, self.moves),
            )
        )
        text = re.sub(r"'(ApproximateReceiveCount|SequenceNumber)': '\d+'", "", text)
        tokens: dict[str, str] = {}
        text = re.sub(r"r\d/\d+", lambda match: tokens.setdefault(match[0], f"w{len(tokens)}"), text)
        ids: dict[str, str] = {}
        text = re.sub(r"id-\d{6}(/\d+)?", lambda m: ids.setdefault(m[0][:9], f"m{len(ids)}"), text)
        ranks = {number: str(rank) for rank, number in enumerate(sorted(set(re.findall(r"\d{20}", text))))}
        return re.sub(r"\d{20}", lambda match: f"s{ranks[match[0]]}", text)


def _texts(message: Stored) -> dict[str, str]:
    names = ("redrive_run", "redrive_of", "redrive_after", "source_sequence")
    return {name: message.attributes[name]["StringValue"] for name in names if name in message.attributes}


class Model:
    """What can happen. `failing`: the employees whose messages fail until the cause is mended."""

    def __init__(self, failing: frozenset[str]) -> None:
        self.failing = failing
        self.states = 0

    def explore(self, first: State) -> None:
        """Visit every state that can be reached, and check each."""
        seen, open_states = {first.key()}, [first]
        while open_states:
            state = open_states.pop()
            self.states += 1
            self.check(state)
            for following in self.following(state):
                key = following.key()
                if key not in seen:
                    seen.add(key)
                    open_states.append(following)

    def check(self, state: State) -> None:
        halted, listed = ((f"halt#charge#{GROUP}", "halt"), ("halt#charge#", GROUP))
        assert (halted in state.world.rows.items) == (listed in state.world.rows.items), state.story()
        assert state.world.applied == list(EMPLOYEES[: len(state.world.applied)]), state.story()
        if state.invocation is None and state.operator is None and state.world.mended:
            self.finish(state.fork("finish"))

    def finish(self, state: State) -> None:
        """From here without faults: everything takes effect once, in order, and the group goes on."""
        while state.world.sent < len(EMPLOYEES):
            state.world.send_next()
        state.releases += 1
        for _ in range(400):
            while self.take_batch(state) or state.invocation:
                self.consume(state)
            if state.operator is None and state.world.rows.items:
                if not state.releases:
                    break
                self.start_release(state)
            if state.operator is not None:
                self.operate(state)
            elif not state.world.sqs.queues[MAIN].messages:
                break
        assert state.world.applied == list(EMPLOYEES), state.story()
        assert state.world.sqs.queues[MAIN].messages == [], state.story()
        assert state.world.rows.items == {}, state.story()
        assert len(set(state.world.applied)) == len(state.world.applied)

    def following(self, state: State) -> Iterator[State]:
        world = state.world
        # While the group is in a consumer's hands, a new message only waits.
        if world.sent < len(EMPLOYEES) and state.invocation is None:
            new = state.fork("new message")
            new.world.send_next()
            yield new
        if state.invocation is not None:
            yield from self.with_crashes(state, "consumer", self.consume, self.crash_consumer)
            if not world.mended:
                # That the cause is mended shows at the next effect, and nowhere before.
                mended = state.fork("mended")
                mended.world.mended = True
                self.consume(mended)
                if mended.world.tried:
                    yield mended
        else:
            taken = state.fork("batch")
            if self.take_batch(taken):
                yield taken
            if state.moves and self.move_by_sqs(moved := state.fork("SQS moves the first message")):
                yield moved
        if state.operator is not None:
            yield from self.with_crashes(state, "operator", self.operate, self.crash_operator)
        elif state.releases and world.rows.items:
            yield self.start_release(state.fork("release"))

    def with_crashes(
        self,
        state: State,
        who: str,
        go_on: Callable[[State, int], State],
        crash: Callable[[State], State],
    ) -> Iterator[State]:
        """The process goes on; or it dies before, between or after the calls that it makes then."""
        following = go_on(state.fork(who), MANY)
        yield following
        if state.crashes:
            for calls in range(following.made + 1):
                dead = state.fork(f"{who} dies after {calls} calls")
                if calls:
                    go_on(dead, calls)
                yield crash(dead)

    def take_batch(self, state: State) -> bool:
        """Lambda receives up to two messages for the consumer."""
        if state.invocation is not None:
            return False
        sqs = state.world.sqs
        messages = sqs.receive_message(QueueUrl=MAIN, MaxNumberOfMessages=2, VisibilityTimeout=10**6)
        received = messages.get("Messages", [])
        if received:
            records = [_record(message) for message in received]
            ids = [message["MessageId"] for message in received]
            state.invocation = Invocation(ids, {"Records": records})
        return bool(received)

    def move_by_sqs(self, state: State) -> bool:
        """A message that the consumer has begun to park has been received too often."""
        sqs = state.world.sqs
        queue, dead = sqs.queues[MAIN], sqs.queues[DEAD]
        if not queue.messages:
            return False
        first = queue.messages[0]
        letters = [letter.attributes.get("source_message_id", {}) for letter in dead.messages]
        halted = (f"halt#charge#{GROUP}", "halt") in state.world.rows.items
        if "redrive_of" in first.attributes or not (
            halted or first.message_id in {letter.get("StringValue") for letter in letters}
        ):
            return False
        queue.redrive = (dead.name, first.receives)
        sqs.receive_message(QueueUrl=MAIN, MaxNumberOfMessages=0)
        queue.redrive = None
        state.moves -= 1
        return first in dead.messages

    def consume(self, state: State, most: int = MANY) -> State:
        """The consumer goes on by a call that others can notice.

        At its end Lambda deletes what is done and shows the rest again.
        """
        invocation = state.invocation
        assert invocation is not None
        client = Calls(state, invocation.answers, most)
        answer = None
        try:
            answer = self._consumer(state.world, client)(invocation.event, FakeContext())
        except Paused:
            assert client.paused
        state.made = client.made
        if client.paused or answer is None:
            return state
        again = {entry["itemIdentifier"] for entry in answer["batchItemFailures"]}
        queue = state.world.sqs.queues[MAIN]
        for message in [m for m in queue.messages if m.message_id in invocation.batch]:
            message.visible_at = 0
            if message.message_id not in again:
                queue.messages.remove(message)
        state.invocation = None
        return state

    def crash_consumer(self, state: State) -> State:
        """The function dies: its messages come again."""
        for message in state.world.sqs.queues[MAIN].messages:
            message.visible_at = 0
        state.invocation = None
        state.crashes -= 1
        return state

    def start_release(self, state: State) -> State:
        state.releases -= 1
        state.started += 1
        state.operator = Operator(number=state.started)
        return state

    def operate(self, state: State, most: int = MANY) -> State:
        """The operator goes on by a call that others can notice."""
        operator = state.operator
        assert operator is not None
        client: Any = Calls(state, operator.answers, most)
        with Sender(client, MAIN, clock=state.world.sqs.clock, threads=1) as forward:
            release = Release(
                queue=DeadLetterQueue(client, DEAD, wait_seconds=0),
                halts=Halts(client, "job", "charge", state.world.sqs.clock),
                forward=forward,
                run=f"r{operator.number}",
                groups=frozenset({GROUP}),
            )
            for name, value in copy.deepcopy(operator.state).items():
                setattr(release, name, value)
            try:
                step = release.step(GROUP)
            except Paused:
                return state
            finally:
                state.made = client.made
        operator.answers = []
        operator.state = {name: getattr(release, name) for name in ("_windows", "_pending")}
        if step in {Step.ENDED, Step.REFUSED}:
            state.operator = None
        return state

    def crash_operator(self, state: State) -> State:
        """The operator's process dies: what it had hidden shows again."""
        for message in state.world.sqs.queues[DEAD].messages:
            message.visible_at = 0
        state.operator = None
        state.crashes -= 1
        return state

    def transact(self, world: World, employee: str) -> Effect:
        """The effect: one call, as one transaction is."""
        world.tried = world.tried or (world.mended and employee in self.failing)
        if employee in self.failing and not world.mended:
            raise RejectedError("rule")
        if employee in world.applied:
            return Effect.DUPLICATE
        world.applied.append(employee)
        return Effect.APPLIED

    def _consumer(self, world: World, client: Any) -> Consumer:
        silent: Any = Silent()

        def apply(message: Message, _record: Record) -> Effect:
            return client.make("transact", lambda: self.transact(world, message.employee_id))  # type: ignore[no-any-return]

        return Consumer(
            contract=CONTRACT,
            payloads=None,
            apply=apply,
            done_metric="Charged",
            max_attempts=1,
            max_deliveries=10,
            threads=1,
            attempts=Attempts(client, "job", world.sqs.clock),
            quarantine=Quarantine(client, DEAD),
            visibility=Visibility(client, MAIN, silent),
            backoff=Backoff(),
            halts=Halts(client, "job", "charge", world.sqs.clock),
            observer=silent,
            clock=world.sqs.clock,
        )


def _record(message: dict[str, Any]) -> dict[str, Any]:
    attributes = {
        name: {"stringValue": value["StringValue"], "dataType": value["DataType"]}
        for name, value in message["MessageAttributes"].items()
    }
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": attributes,
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:ap-northeast-1:111122223333:charge.fifo",
    }


def beginning() -> State:
    world = World(Sqs(FakeClock(), "charge.fifo", "charge-dlq.fifo"))
    world.send_next()
    world.send_next()
    return State(world)


@pytest.fixture
def explored(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Model]:
    def explore(failing: str, deduplicated_seconds: int, **bounds: Any) -> Model:
        monkeypatch.setattr(queues, "DEDUPLICATED_SECONDS", deduplicated_seconds)
        for module in ("batch", "sender"):
            monkeypatch.setattr(f"job_runtime.{module}.ThreadPoolExecutor", Inline)
        model = Model(frozenset({failing}))
        model.explore(replace(beginning(), **bounds))
        return model

    return explore


@pytest.mark.parametrize(("failing", "deduplicated_seconds"), [("e1", 0), ("e2", 300)])
def test_no_later_message_takes_effect_first_whatever_happens_between_any_two_calls(
    explored: Callable[..., Model], failing: str, deduplicated_seconds: int
) -> None:
    assert explored(failing, deduplicated_seconds, releases=1).states > 3_000


@pytest.mark.parametrize(
    ("failing", "deduplicated_seconds", "crashes"),
    [("e1", 0, 1), ("e1", 300, 2), ("e2", 0, 2), ("e3", 300, 2), ("e4", 0, 2)],
)
def test_no_later_message_takes_effect_first_whoever_dies_at_any_call(
    explored: Callable[..., Model], failing: str, deduplicated_seconds: int, crashes: int
) -> None:
    model = explored(failing, deduplicated_seconds, releases=2, crashes=crashes, whole=True)
    assert model.states > 200


@pytest.mark.parametrize(("failing", "deduplicated_seconds"), [("e1", 0), ("e2", 300)])
def test_no_later_message_takes_effect_first_when_sqs_moves_one_that_is_being_parked(
    explored: Callable[..., Model], failing: str, deduplicated_seconds: int
) -> None:
    model = explored(failing, deduplicated_seconds, releases=2, crashes=1, moves=1, whole=True)
    assert model.states > 200
