"""Plans that are not as Terraform writes them: an answer, or one line and exit 2, never a crash."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from policies.__main__ import main
from policies.report import FORMATS
from tests.policies.support.good import good
from tests.policies.support.layouts import LAYOUTS, render

MUTATIONS = 5_000
PLANS_A_RESOURCE_SET = 25
RESOURCES = 9
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    10**30,
    1.5,
    float("nan"),
    "",
    "*",
    "arn:aws:sqs",
    "[",
    '{"a":',
    "\x00",
    "é\ud83d",
    [],
    [None],
    {},
    {"": None},
    [[]],
    {"references": 3},
    {"references": [None, "a[", "module.", "var.", "each.value"]},
    {"constant_value": {}},
    [{"a": [True]}],
    "null",
    "[]",
    '{"Statement": [{"Principal": 3, "Condition": [1]}]}',
)


def subset(chance: random.Random) -> Any:
    """A plan of a few resources of the good composition, in one of the layouts."""
    stack = good()
    for name in chance.sample(sorted(stack), len(stack) - RESOURCES):
        del stack[name]
    return render([(None, list(stack.values()))], chance.choice(LAYOUTS), known=chance.random() < 0.5)


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every container of a document with each of its keys."""
    found, pending = [], [node]
    while pending:
        item = pending.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
        for key in keys:
            found.append((item, key))
            pending.append(item[key])
    return found


def mutate(document: Any, chance: random.Random) -> None:
    """Change one place: another value, a value from elsewhere, gone, doubled, wrapped, or a key renamed."""
    everywhere = places(document)
    container, key = chance.choice(everywhere)
    kind = chance.randrange(6)
    if kind == 0:
        container[key] = copy.deepcopy(chance.choice(ODD))
    elif kind == 1:
        other, other_key = chance.choice(everywhere)
        container[key] = copy.deepcopy(other[other_key])
    elif kind == 2:
        del container[key]
    elif kind == 3:
        container[key] = [copy.deepcopy(container[key])] * 2
    elif kind == 4:
        container[key] = {"x": container[key]}
    elif isinstance(container, dict):
        container[f"{key}{chance.choice(['_', '', 'é'])}"] = container.pop(key)


@pytest.mark.parametrize("seed", range(10))
def test_mutated_plans_never_crash_the_gate(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(seed)
    file = tmp_path / "plan.json"
    codes: dict[int, int] = {}
    for number in range(MUTATIONS // 10):
        if number % PLANS_A_RESOURCE_SET == 0:
            whole = subset(chance)
        document = copy.deepcopy(whole)
        for _ in range(chance.randint(1, 4)):
            mutate(document, chance)
            if not document:
                break
        file.write_text(json.dumps(document), encoding="utf-8")
        code = main([str(file), "--strict", "--format", chance.choice(list(FORMATS))])
        told = capsys.readouterr()
        codes[code] = codes.get(code, 0) + 1
        assert (code == 2) == (told.out == ""), (seed, number)
        assert (code == 2) == (told.err.count("\n") == 1), (seed, number)
    assert set(codes) <= {0, 1, 2}
    assert codes[1] > codes.get(2, 0) > 0


@pytest.mark.parametrize("seed", range(50))
def test_bytes_that_are_cut_or_changed_never_crash_the_gate(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(seed)
    text = bytearray(json.dumps(subset(chance)).encode())
    for _ in range(chance.randint(1, 5)):
        text[chance.randrange(len(text))] = chance.randrange(256)
    file = tmp_path / "plan.json"
    file.write_bytes(bytes(text[: chance.randrange(len(text))]) if seed % 2 else bytes(text))

    assert main([str(file)]) in (0, 1, 2)
    assert "Traceback" not in capsys.readouterr().err
