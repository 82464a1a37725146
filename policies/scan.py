"""`python -m policies.scan`: checkov, with its silences turned red.

checkov ends with 0 where it has looked at nothing: an empty folder, a file that it cannot parse, a plan
without resources, an id that there is not. It honours a suppression without a reason, and ignores one that is
mistyped or stands above its block. Each of these ends with 1 or 2 here, and says so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from policies.plan import PlanError, read_plan
from policies.rules.one_resource import ONE_RESOURCE, checkov_id

CLEAN, FOUND, CANNOT_JUDGE = 0, 1, 2
_SKIPPED = re.compile(r"^\s*-\s*(?P<id>\S+)\s*(?:#\s*(?P<reason>.*\S))?\s*$")
_SUPPRESSION = re.compile(r"#\s*checkov\W?skip\b.*", re.IGNORECASE)
_RIGHT = re.compile(r"#\s*checkov:skip=(?P<id>[A-Z0-9_]+):\s*\S")
_LISTED = re.compile(r"\|\s*(CKV2?_[A-Z0-9_]+)\s*\|")


class ScanError(Exception):
    """checkov cannot be trusted to have judged; the message is one line."""


@dataclass
class Scan:
    """What a run found: failed checks, suppressions with their reasons, and what is amiss with these."""

    resources: int = 0
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    suppressed: list[str] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m policies.scan",
        description="checkov on plans in JSON and on folders of Terraform.",
        epilog="exit codes: 0 clean; 1 failed checks, or suppressions that are not right; 2 nothing was"
        " judged",
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a plan in JSON, or a folder")
    parser.add_argument("--config", type=Path, default=Path(".checkov.yaml"), help="checkov's configuration")
    parser.add_argument("--checkov", default=".venv/checkov/bin/checkov", help="the command to run")
    options = parser.parse_args(arguments)
    try:
        known = known_ids(options.checkov)
        scans = {path: scan(path, options.checkov, options.config, known) for path in options.paths}
    except (ScanError, PlanError) as error:
        print(f"policies.scan: {error}", file=sys.stderr)
        return CANNOT_JUDGE
    for path, found in scans.items():
        for line in (*found.failed, *found.amiss):
            print(line)
        for line in found.suppressed:
            print(f"suppressed: {line}")
        print(
            f"{path}: {found.passed} checks passed, {len(found.failed)} failed, {len(found.suppressed)}"
            " suppressed on"
            f" {found.resources} resources"
        )
    return FOUND if any(found.failed or found.amiss for found in scans.values()) else CLEAN


def scan(path: Path, checkov: str, config: Path, known: frozenset[str]) -> Scan:
    """Run checkov on a plan or folder. Raises ScanError or PlanError when nothing can be judged."""
    if path.is_dir():
        files = sorted(path.rglob("*.tf"))
        if not files:
            raise ScanError(f"{path}: holds no .tf file")
        where = ["--directory", str(path), "--framework", "terraform"]
    else:
        read_plan(path)  # says in one line what is wrong with a file that is no plan
        files = []
        where = ["--file", str(path), "--framework", "terraform_plan"]
    report = _report(checkov, [*where, "--config-file", str(config), "--output", "json"])
    found = Scan(amiss=[*_amiss_in_config(config, known), *_amiss_in_files(files, known)])
    for part in report if isinstance(report, list) else [report]:
        _read(part, found, path)
    if not found.resources:
        raise ScanError(f"{path}: checkov has judged no resource")
    return found


def _read(part: Any, found: Scan, path: Path) -> None:
    summary = part.get("summary", part)
    results = part.get("results", {})
    broken = results.get("parsing_errors", [])
    if broken or summary.get("parsing_errors"):
        raise ScanError(f"{path}: checkov cannot parse {', '.join(broken) or 'a file'}")
    found.resources += summary.get("resource_count", 0)
    found.passed += summary.get("passed", 0)
    for check in results.get("failed_checks", []):
        address = check.get("resource_address") or check["resource"]
        place = f"{check['file_path']}:{check['file_line_range'][0]}"
        details = "; ".join(check.get("details") or [])
        found.failed.append(
            f"{check['check_id']} {address} ({place}): {check['check_name']}. {details}".rstrip(". ")
        )
    for check in results.get("skipped_checks", []):
        reason = check["check_result"].get("suppress_comment") or ""
        line = f"{check['check_id']} {check['resource']}: {reason}"
        if not reason or reason == "No comment provided":
            found.amiss.append(
                f"{check['check_id']} {check['resource']}: suppressed without a reason; write one"
            )
        else:
            found.suppressed.append(line)


def _report(checkov: str, arguments: list[str]) -> Any:
    text = _run(checkov, arguments)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ScanError("checkov did not answer with JSON") from error


def _run(checkov: str, arguments: list[str]) -> str:
    # What is unknown until the apply is otherwise absent to checks.
    environment = {**os.environ, "EVAL_TF_PLAN_AFTER_UNKNOWN": "1", "LOG_LEVEL": "ERROR"}
    try:
        ended = subprocess.run(
            [checkov, *arguments, "--skip-download"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise ScanError(
            f"{checkov}: cannot be run ({error.strerror}); make it with: make .venv/checkov/.ready"
        ) from error
    if ended.returncode not in (0, 1):
        raise ScanError(f"checkov ended with {ended.returncode}: {' '.join(ended.stderr.split())[-300:]}")
    return ended.stdout


def known_ids(checkov: str) -> frozenset[str]:
    """Every id that checkov or this project has. Raises ScanError."""
    listed = _LISTED.findall(_run(checkov, ["--list", "--framework", "terraform"]))
    if not listed:
        raise ScanError("checkov lists no checks")
    return frozenset(listed) | {checkov_id(rule_id) for rule_id in ONE_RESOURCE}


def _amiss_in_config(config: Path, known: frozenset[str]) -> Iterator[str]:
    section = ""
    for number, line in enumerate(config.read_text(encoding="utf-8").splitlines(), start=1):
        if line.rstrip().endswith(":") and not line.startswith(" "):
            section = line.strip()[:-1]
        entry = _SKIPPED.match(line) if section in ("skip-check", "check", "soft-fail-on") else None
        if entry is None:
            continue
        if entry["id"] not in known:
            yield f"{config}:{number}: there is no check {entry['id']}"
        if not entry["reason"]:
            yield f"{config}:{number}: {entry['id']} has no reason; write one behind a #"


def _amiss_in_files(files: list[Path], known: frozenset[str]) -> Iterator[str]:
    for file in files:
        depth = 0
        for number, line in enumerate(
            file.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        ):
            written = _SUPPRESSION.search(line)
            code = line[: written.start()] if written else line
            depth += code.count("{") - code.count("}")
            if written is None:
                continue
            right = _RIGHT.match(written[0])
            if right is None:
                yield f"{file}:{number}: no suppression; write #checkov:skip=ID:reason"
            elif right["id"] not in known:
                yield f"{file}:{number}: there is no check {right['id']}"
            elif depth == 0:
                yield f"{file}:{number}: stands outside a block, where checkov ignores it; move it inside"


if __name__ == "__main__":
    sys.exit(main())
