"""The table of alarms in modules/alarm-pack/README.md, made from the catalogue.

`python -m tests.terraform.alarm_table` rewrites it; a test compares.
"""

import re
from typing import Any

from tests.terraform.modules import MODULES, bare, read_hcl

PACK = MODULES / "alarm-pack"
README = PACK / "README.md"
_TABLE = re.compile(r"\| id \| on \|[^\n]*\n(?:\|[^\n]*\n)+")
_UNITS = {"`ApproximateAgeOfOldestMessage`": " s", "`AsyncEventAge`": " ms"}
_LIMITS = {
    "in_flight": "the 120,000 that SQS allows",
    "maximum_message_bytes": "the largest message",
    "reserved_concurrency": "the reserved concurrency",
    "retention_seconds": "the retention",
    "timeout_milliseconds": "the timeout",
}


def catalogue() -> dict[str, dict[str, Any]]:
    """The alarms by id, as written in `catalogue.*.tf`."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(PACK.glob("catalogue.*.tf")):
        for block in read_hcl(file)["locals"]:
            for name, alarms in block.items():
                if name.endswith("_alarms"):
                    found |= {bare(alarm_id): alarm for alarm_id, alarm in alarms.items()}
    return found


def _metric(alarm: dict[str, Any]) -> str:
    metrics = alarm["metrics"]
    if isinstance(metrics, str):  # a `for` over operations
        name = re.search(r"\bname\W+(\w+)", metrics)
        assert name is not None
        return f"`{name[1]}`, summed over operations"
    names = dict.fromkeys(bare(metric["name"]) for metric in metrics.values())
    return ", ".join(f"`{name}`" for name in names)


def _default(alarm: dict[str, Any]) -> str:
    expression = bare(alarm["expression"]) if isinstance(alarm["expression"], str) else ""
    if condition := re.fullmatch(r"IF\((.+ AND .+), 1, 0\)", expression):
        return f"`{condition[1]}`"
    sign = "≥" if "OrEqual" in alarm["comparison"] else ">"
    if isinstance(alarm["share"], int | float):
        return f"{sign} {alarm['share'] * 100:.0f} % of {_LIMITS[bare(alarm['limit'])]}"
    unit = " %" if "100 *" in expression else _UNITS.get(_metric(alarm), "")
    least = re.match(r"IF\(FILL\(\w+, 0\) >= (\d+) ", expression)
    return f"{sign} {alarm['threshold']:,}{unit}" + (f", and ≥ {least[1]}" if least else "")


def _time(alarm: dict[str, Any]) -> str:
    period, periods = alarm["period"], alarm["periods"]
    datapoints = alarm["datapoints"] if isinstance(alarm["datapoints"], int) else periods
    if "late" in alarm:
        return f"{datapoints} of {periods} x {period} s + the timeout"
    return f"{period} s" if periods == 1 else f"{datapoints} of {periods} x {period} s"


def _feeds(alarm: dict[str, Any]) -> str:
    if bare(alarm["severity"]) == "critical":
        return "**broken**"
    return "**slow**" if alarm["slows"] else ""


def table() -> str:
    """The table, a line an alarm, in the order of the catalogue's files."""
    lines = [("id", "on", "metric", "default", "over", "severity", "feeds"), ("---",) * 7]
    for alarm_id, alarm in catalogue().items():
        lines.append(
            (
                f"`{alarm_id}`",
                bare(alarm["service"]),
                _metric(alarm),
                _default(alarm),
                _time(alarm),
                bare(alarm["severity"]),
                _feeds(alarm),
            )
        )
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def rewritten(readme: str) -> str:
    """The README with the table as the catalogue has it. Raises ValueError when there is not one table."""
    if len(_TABLE.findall(readme)) != 1:
        raise ValueError("modules/alarm-pack/README.md: write one table that begins with | id | on |")
    return table().join(_TABLE.split(readme))


def main() -> None:
    """Rewrite the README."""
    README.write_text(rewritten(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
