"""What a run of the demo is asked for, checked before anything is started."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

MOST_TENANTS = 10_000
MOST_EMPLOYEES = 100_000
MOST_CHARGES = 1_000_000
_LAST_PORT = 65_535


@dataclass(frozen=True)
class Settings:
    """Size and surroundings of one run."""

    tenants: int
    employees: int
    """Employees of each tenant."""
    provider: str
    """`stand-in`, or `registry` for the genuine hashicorp/aws."""
    port: int | None
    keep: bool
    redrive: bool = False
    """Whether dead letters are put back afterwards, by an operator who is killed twice."""
    faults: bool = True
    """Whether the month is disturbed on purpose."""

    @property
    def expected(self) -> int:
        """Charges that a correct run makes: one an employee of a known tenant, amounts of zero included."""
        return self.tenants * self.employees


def _whole_number(name: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise argparse.ArgumentTypeError(
            f"{name} must be a whole number from 1 to {most:,}: write {name}=20, say"
        )
    return int(text)


def parse(arguments: list[str]) -> Settings:
    """Read the command line; a wrong value ends the process with status 2, naming its range."""
    parser = argparse.ArgumentParser(
        prog="make demo",
        description="Charge a whole month on the local AWS.",
        usage="make demo [TENANTS=20] [EMPLOYEES=50] [REDRIVE=1] [KEEP=1] [FAULTS=0] [PORT=…] [PROVIDER=…]",
    )
    parser.add_argument(
        "--tenants", type=lambda text: _whole_number("TENANTS", text, MOST_TENANTS), default=20
    )
    parser.add_argument(
        "--employees", type=lambda text: _whole_number("EMPLOYEES", text, MOST_EMPLOYEES), default=50
    )
    parser.add_argument("--provider", choices=("stand-in", "registry"), default="stand-in")
    parser.add_argument("--port", type=lambda text: _whole_number("PORT", text, _LAST_PORT), default=None)
    parser.add_argument("--keep", action="store_true", help="leave the local AWS up at the end")
    parser.add_argument("--redrive", action="store_true", help="then put dead letters back, killed twice")
    parser.add_argument("--no-faults", dest="faults", action="store_false", help="disturb nothing")
    settings = Settings(**vars(parser.parse_args(arguments)))
    if settings.expected > MOST_CHARGES:
        parser.error(f"TENANTS x EMPLOYEES is {settings.expected:,}; the emulator holds {MOST_CHARGES:,}")
    return settings
