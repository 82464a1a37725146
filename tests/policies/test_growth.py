"""The gate's time grows with the plan, not with its square."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from policies.judge import judge
from policies.plan import read_plan
from tests.policies.support.good import good
from tests.policies.support.layouts import LAYOUTS, Layout, render

# Resources in the good composition: instances are counted in these.
SIZE = len(good())


def seconds(layout: Layout, resources: int, known: bool, folder: Path) -> float:
    """CPU time for reading and judging a plan, the best of two."""
    stacks = [(f"{n}", list(good(f"-{n}").values())) for n in range(resources // SIZE)]
    file = folder / "plan.json"
    file.write_text(json.dumps(render(stacks, layout, known=known)), encoding="utf-8")

    def run() -> float:
        start = time.process_time()
        judge(read_plan(file))
        return time.process_time() - start

    return best(run)


def best(run: Callable[[], float]) -> float:
    return min(run(), run())


@pytest.mark.parametrize("known", [True, False], ids=["known", "by-reference"])
@pytest.mark.parametrize(
    "layout", [layout for layout in LAYOUTS if layout.repeated], ids=lambda layout: layout.name
)
def test_a_thousand_resources_take_under_2_seconds_and_four_thousand_four_times_as_long(
    layout: Layout, known: bool, tmp_path: Path
) -> None:
    thousand, four_thousand = (seconds(layout, n, known, tmp_path) for n in (1_000, 4_000))

    assert thousand < 2
    assert four_thousand < 8 * thousand  # 16 times as long if it grew with the square
