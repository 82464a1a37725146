"""A local AWS, and the command as an operator runs it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from job_runtime import aws as clients
from local.emulator import Emulator
from operations.dlq.__main__ import main
from tests.local.operations.bench import Bench

_names = itertools.count(1)
Dlq = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("emulator") / "emulator.log") as emulator:
        service = {"Service": "lambda.amazonaws.com"}
        trust = {"Effect": "Allow", "Principal": service, "Action": "sts:AssumeRole"}
        emulator.client("iam").create_role(
            RoleName="consumer",
            AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
        )
        yield emulator


def become(monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str]) -> None:
    """From now on the command has these credentials; boto3 keeps those that it found first."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    clients.forget_clients()


@pytest.fixture
def make(aws: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Bench]]:
    become(monkeypatch, aws.credentials_env())
    yield lambda **kind: Bench(aws, f"job{next(_names)}", **kind)
    clients.forget_clients()


@pytest.fixture
def bench(make: Callable[..., Bench]) -> Bench:
    return make()


@pytest.fixture
def dlq(capsys: pytest.CaptureFixture[str]) -> Dlq:
    """Run the command on a bench: the exit status and the document it printed."""

    def run(bench: Bench, *arguments: str) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        status = main([*bench.arguments, *arguments])
        printed = capsys.readouterr()
        return status, json.loads(printed.out) if printed.out else {"error": printed.err}

    return run


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive.jsonl"
