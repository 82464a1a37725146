"""`python -m policies`: judge plans or source."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from policies.judge import Judgement, Verdict, judge, printable, settle
from policies.plan import Plan, PlanError, Resource, read_context, read_plan
from policies.plan.locate import Locator
from policies.plan.references import References
from policies.report import FORMATS, Run, text
from policies.report.run import CANNOT_JUDGE, CLEAN
from policies.rules import RULES
from policies.source import SourceError, read_source
from policies.waivers import Waivers, WaiversError, apply_waivers, read_waivers

_EXIT_CODES = """exit codes:
  0  clean: nothing found (undecided answers aside, unless strict)
  1  findings, undecided answers when strict, or waivers that do not hold
  2  cannot judge: no plan, no resources, a file or an option that is not right
  130  interrupted
"""
INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m policies",
        description="Rules over Terraform plans (terraform show -json) or source that see several"
        " resources at once.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("plans", metavar="PLAN", nargs="*", type=Path, help="a plan in JSON")
    made.add_argument(
        "--source",
        metavar="DIR",
        action="append",
        default=[],
        type=Path,
        help="a root module's folder: judged by itself, or, with a plan for each, to name lines and"
        " decide what the plan"
        " leaves open",
    )
    made.add_argument(
        "--context",
        metavar="FILE",
        action="append",
        default=[],
        type=Path,
        help="a plan or state in JSON whose resources are referred to, and not judged",
    )
    made.add_argument(
        "--strict",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="undecided answers fail (the default for plans where CI is set)",
    )
    made.add_argument("--waivers", metavar="FILE", type=Path, help="waivers in TOML")
    made.add_argument("--today", metavar="DATE", type=_day, help="the day waivers are judged by (UTC)")
    made.add_argument("--format", choices=FORMATS, default="text", help="of standard output (text)")
    made.add_argument(
        "--also",
        metavar="FORMAT=FILE",
        action="append",
        default=[],
        help="write the report in another format too",
    )
    made.add_argument("--list", action="store_true", help="list the rules and end")
    return made


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text} is no date; write one such as 2027-03-31") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    options = parser().parse_args(arguments)
    if options.list:
        for rule in RULES.values():
            print(f"{rule.id} {rule.severity:<6} {rule.title}")
        return CLEAN
    try:
        run = _run(options)
        copies = [_copy(text) for text in options.also]
    except (PlanError, SourceError, WaiversError, _UsageError) as error:
        print(f"policies: {' '.join(str(error).split())}", file=sys.stderr)
        return CANNOT_JUDGE
    for kind, file in copies:
        try:
            file.write_text(FORMATS[kind](run), encoding="utf-8")
        except OSError as error:
            print(f"policies: {file}: cannot be written ({error.strerror})", file=sys.stderr)
            return CANNOT_JUDGE
    if options.format == "text":
        sys.stdout.write(text(run, colour=sys.stdout.isatty()))
    else:
        sys.stdout.write(FORMATS[options.format](run))
    return run.exit_code


class _UsageError(Exception):
    """Options that do not go together."""


def _copy(text: str) -> tuple[str, Path]:
    kind, given, file = text.partition("=")
    if not given or kind not in FORMATS or not file:
        raise _UsageError(f"--also {text}: write FORMAT=FILE with one of {', '.join(FORMATS)}")
    return kind, Path(file)


def _run(options: argparse.Namespace) -> Run:
    if not options.plans and not options.source:
        raise _UsageError("nothing to judge: name a plan, or a folder with --source")
    if options.plans and options.source and len(options.plans) != len(options.source):
        raise _UsageError("name one --source for each plan, in the same order")
    today = options.today or datetime.now(UTC).date()
    waivers = read_waivers(options.waivers, RULES, today) if options.waivers else Waivers("", [], [])
    context = [resource for file in options.context for resource in read_context(file)]
    judgements = list(_judgements(options, context))
    outcomes = [outcome for judgement in judgements for outcome in judgement.outcomes]
    marked, unused = apply_waivers(outcomes, waivers)
    rest = iter(marked)
    judgements = [replace(j, outcomes=[next(rest) for _ in j.outcomes]) for j in judgements]
    strict = options.strict
    if strict is None:
        strict = bool(options.plans) and os.environ.get("CI", "").lower() not in ("", "0", "false")
    return Run(judgements, strict, waivers.problems, unused)


def _judgements(options: argparse.Namespace, context: list[Resource]) -> Iterator[Judgement]:
    if not options.plans:
        for folder in options.source:
            yield judge(read_source(folder))
        return
    folders: list[Path | None] = options.source or [None] * len(options.plans)
    for file, folder in zip(options.plans, folders, strict=True):
        plan = read_plan(file, context)
        judgement = judge(plan)
        yield judgement if folder is None else _with_source(plan, judgement, file, folder)


def _with_source(plan: Plan, judgement: Judgement, file: Path, folder: Path) -> Judgement:
    """Lines for what the plan's outcomes are about, and the source's answer where the plan has none."""
    if any(outcome.verdict is Verdict.UNDECIDED for outcome in judgement.outcomes):
        judgement = settle(judgement, judge(read_source(folder, _variables(file))))
    if not isinstance(plan.references, References):
        return judgement
    locator = Locator(folder, plan.references.root)
    by_address = {printable(resource.address): resource for resource in (*plan.leaving, *plan.resources)}
    return replace(
        judgement,
        outcomes=[
            replace(outcome, place=outcome.place or locator.place(by_address[outcome.address]))
            for outcome in judgement.outcomes
        ],
    )


def _variables(file: Path) -> dict[str, object]:
    """The values that the plan was made with."""
    given = json.loads(file.read_bytes()).get("variables")
    return {
        name: item["value"]
        for name, item in (given.items() if isinstance(given, dict) else ())
        if isinstance(item, dict) and item.get("value") is not None
    }


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone away; there is nobody to tell, and nothing more to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = CANNOT_JUDGE
    except KeyboardInterrupt:
        print("policies: interrupted; nothing was judged to its end", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)
