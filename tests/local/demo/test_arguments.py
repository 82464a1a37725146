"""Wrong use of `make demo` is named before anything is started."""

from __future__ import annotations

import pytest

from local.demo.settings import parse


@pytest.mark.parametrize("text", ["0", "-1", "twenty", "1.5", "", "10001", "\uff12"])
def test_bad_number_of_tenants_is_refused_with_its_name_and_range(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse([f"--tenants={text}"])
    assert ended.value.code == 2
    assert "TENANTS must be a whole number from 1 to 10,000" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--employees=x"], "EMPLOYEES"),
        (["--port=70000"], "PORT"),
        (["--provider=genuine"], "registry"),
        (["--tenants=10000", "--employees=100000"], "TENANTS x EMPLOYEES"),
    ],
)
def test_bad_argument_is_named(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert named in capsys.readouterr().err


def test_defaults_are_those_of_the_makefile() -> None:
    settings = parse([])
    assert (settings.tenants, settings.employees, settings.provider) == (20, 50, "stand-in")
    assert settings.expected == 1000
