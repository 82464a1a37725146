"""Start, await and end the local AWS."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.config import Config

from local.limits import HANG_SECONDS

if TYPE_CHECKING:
    from types import FrameType

REPOSITORY = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
REGION = "ap-northeast-1"
SCRATCH = "fanout-once-"
"""How the name of an emulator's scratch folder begins."""
ACCOUNT = "111122223333"
# Root of the emulator's account: known to nobody but this machine's loopback.
_ROOT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
SERVICES = (
    "application-autoscaling", "dynamodb", "events", "iam", "kms", "lambda", "logs", "monitoring",
    "pipes", "s3", "scheduler", "secretsmanager", "sns", "sqs", "ssm", "sts", "tagging",
)  # fmt: skip
_END_SECONDS = 5.0


class EmulatorError(RuntimeError):
    """The local AWS could not be started, or ended by itself."""


def free_port() -> int:
    """Return a TCP port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False


def _python() -> Path:
    python = Path(os.environ.get("EMULATOR_PYTHON", REPOSITORY / ".venv" / "emulator" / "bin" / "python"))
    if not python.exists():
        raise EmulatorError(f"the emulator's environment {python} is missing; run `make setup`")
    return python


def _environment(port: int, scratch: str) -> dict[str, str]:
    """The child's environment: ours without anything that speaks of AWS, plus MiniStack's settings."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "TF_", "POWERTOOLS_"))
    }
    return {
        **ours,
        **_ROOT,
        "AUTH": "true",
        "BIND_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "MINISTACK_HOST": HOST,
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "MINISTACK_REGION": REGION,
        "SERVICES": ",".join(SERVICES),
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "INFO",
        "TMPDIR": scratch,
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


class Emulator:
    """A running local AWS.

    `endpoint` is its address (`http://127.0.0.1:PORT`), `port` the number, `log` the file it writes to.
    """

    def __init__(self, child: subprocess.Popen[bytes], port: int, log: Path, scratch: str) -> None:
        self._child = child
        self._scratch = scratch
        self.port = port
        self.log = log
        self.endpoint = f"http://{HOST}:{port}"

    @classmethod
    def start(cls, log: Path, port: int | None = None) -> Emulator:
        """Start the emulator on PORT, or on a free one, and return once it answers.

        Raises EmulatorError if the port is taken, the environment is missing or it does not come up.
        """
        if port is not None and _taken(port):
            raise EmulatorError(
                f"port {port} of {HOST} is taken; name another one or leave it out for a free one"
            )
        port = port or free_port()
        python = _python()
        scratch = tempfile.mkdtemp(prefix=SCRATCH)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            child = subprocess.Popen(
                [str(python), "-m", "local.emulator.server"],
                cwd=REPOSITORY,
                env=_environment(port, scratch),
                stdin=subprocess.PIPE,  # held open for as long as we live: the child ends when it closes
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        emulator = cls(child, port, log, scratch)
        try:
            emulator._await_ready()
        except BaseException:
            emulator.stop()
            raise
        return emulator

    def _await_ready(self) -> None:
        deadline = time.monotonic() + HANG_SECONDS
        while time.monotonic() < deadline:
            if self._child.poll() is not None:
                raise EmulatorError(
                    f"the emulator ended with status {self._child.returncode}; see {self.log}"
                )
            try:
                with urllib.request.urlopen(f"{self.endpoint}/_ministack/ready", timeout=1):  # noqa: S310
                    return
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                time.sleep(0.05)
        raise EmulatorError(f"the emulator did not answer within {HANG_SECONDS:.0f} s; see {self.log}")

    def wait(self) -> None:
        """Return when it has ended by itself."""
        self._child.wait()

    def detach(self) -> None:
        """Let the emulator outlive this process; from then on SIGTERM to `pid` ends it and all it started."""
        self._control("POST", "detach")

    def stop(self) -> None:
        """End the emulator and every function process it started; safe to call twice."""
        if self._child.stdin and not self._child.stdin.closed:
            self._child.terminate()
            with suppress(subprocess.TimeoutExpired):  # the group is killed next
                self._child.wait(_END_SECONDS)
            self._child.stdin.close()
        with suppress(ProcessLookupError):  # the whole group has ended by itself
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._child.poll() is None

    @property
    def pid(self) -> int:
        """The process id of the emulator."""
        return self._child.pid

    def credentials_env(self) -> dict[str, str]:
        """Return the environment with which boto3, the AWS CLI or Terraform reach this emulator as root."""
        return {
            **_ROOT,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": self.endpoint,
        }

    def client(self, service: str, credentials: Mapping[str, str] | None = None, region: str = REGION) -> Any:
        """Return a boto3 client of SERVICE in REGION.

        As root of ACCOUNT unless CREDENTIALS (boto3's argument names) are given; an access key of 12 digits
        is the root of the account of that number.
        """
        return _client(service, self.endpoint, region, tuple(sorted((credentials or {}).items())))

    def state(self) -> dict[str, Any]:
        """Return refusals of IAM, faults done, schedule fires, function processes (`server/control.py`)."""
        return self._control("GET", "state")

    def peek(self, queue: str) -> list[dict[str, Any]]:
        """Return the messages of a queue (by name) without receiving them; see `server/queues.py`."""
        return list(self._control("GET", f"queues/{queue}")["messages"])

    def set_faults(self, plan: Mapping[str, Any]) -> None:
        """Put a fault plan in force (fields of `server.faults.Plan`); an empty one stops all faults."""
        self._control("PUT", "faults", dict(plan))

    def fire_schedule(self, name: str, times: int = 1) -> dict[str, Any]:
        """Move the scheduler's clock to the next occurrence of `GROUP/NAME`; fire it TIMES times in all."""
        return self._control("POST", "schedules", {"schedule": name, "times": times})

    def publish(
        self, points: Iterable[Mapping[str, Any]], account: str = ACCOUNT, region: str = REGION
    ) -> dict[str, Any]:
        """Store points of metrics of any namespace, `AWS/…` too, and evaluate the alarms before returning.

        A point has PutMetricData's fields and its `Namespace`; `Dimensions` may be a mapping. `Timestamp` is
        a datetime of CloudWatch's clock here, by default its now. Returns `{"now": …}`, that clock's time.
        """
        stamped = [
            {**point, "Timestamp": point["Timestamp"].timestamp()} if point.get("Timestamp") else dict(point)
            for point in points
        ]
        place = {"account": account, "region": region}
        return self._control("POST", "alarms/points", {"points": stamped, **place})

    def advance_alarms(self, seconds: float) -> dict[str, Any]:
        """Move CloudWatch's clock forward, minute by minute, with gauges and evaluation at each one.

        Every other clock stays as it is. Returns `{"now": …}`, the time of that clock afterwards.
        """
        return self._control("POST", "alarms/clock", {"seconds": seconds})

    def alarm_history(self, alarm: str | None = None) -> list[dict[str, Any]]:
        """Return the changes of state, oldest first.

        Of each: alarm, account, region, type, at, old, new, reason, data (JSON text).

        Times are those of CloudWatch's clock. Of one alarm only if its name is given.
        """
        changes = self._control("GET", "alarms")["history"]
        return [change for change in changes if alarm in (None, change["alarm"])]

    def alarm_messages(self) -> list[dict[str, Any]]:
        """Return what became of each alarm's message: alarm, state, action, at, `dropped` (why, or null)."""
        return list(self._control("GET", "alarms")["published"])

    def alarm_clock(self) -> datetime:
        """Return the time of CloudWatch's clock."""
        return datetime.strptime(self._control("GET", "alarms")["now"], "%Y-%m-%dT%H:%M:%S.%f%z")

    def _control(self, method: str, what: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - always our own loopback address
            f"{self.endpoint}/_fanout/{what}",
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
        )
        try:
            with urllib.request.urlopen(request, timeout=HANG_SECONDS) as answer:  # noqa: S310
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            raise EmulatorError(json.load(error)["message"]) from error


@lru_cache(maxsize=64)
def _client(service: str, endpoint: str, region: str, credentials: tuple[tuple[str, str], ...]) -> Any:
    # Slow to import, and the process that only starts the emulator does without.
    import boto3  # noqa: PLC0415
    import botocore.session  # noqa: PLC0415

    root = {
        "aws_access_key_id": _ROOT["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": _ROOT["AWS_SECRET_ACCESS_KEY"],
    }
    keys: dict[str, Any] = dict(credentials) or root
    # A profile of this machine has no say here, and need not even exist.
    core = botocore.session.Session({"profile": (None, None, None, None)})
    create: Any = boto3.session.Session(botocore_session=core, region_name=region, **keys).client
    return create(
        service,
        endpoint_url=endpoint,
        config=Config(
            retries={"mode": "standard", "total_max_attempts": 3},
            connect_timeout=HANG_SECONDS,
            read_timeout=HANG_SECONDS,
            max_pool_connections=20,
        ),
    )


@contextmanager
def terminating_on_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit, so that `with Emulator…` ends its child on them too.

    SIGINT is KeyboardInterrupt, also where it was ignored: a shell starts a background job like that, and the
    job's own children would ignore it as well.
    """

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    previous = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    previous[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
