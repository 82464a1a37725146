"""The five commands: from what was given to what is shown, and the exit status."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.dead_letters import DeadLetter, DeadLetterQueue
from job_runtime.halt import Halts
from job_runtime.write_offs import WriteOff, WriteOffs
from operations.caller import Caller
from operations.command import grid, tell
from operations.confirm import ask
from operations.dlq import confirm, native, redriving, releasing, show
from operations.dlq.archive import archive
from operations.dlq.arguments import selection
from operations.dlq.inspection import inspect
from operations.dlq.ledger import known
from operations.dlq.purging import Purge
from operations.dlq.target import Target
from operations.outcome import Exit, RefusedError
from operations.printing import plain


@dataclass
class Commands:
    """What the commands share. `console`: where people are told, apart from the result."""

    given: argparse.Namespace
    target: Target
    caller: Caller
    clock: Clock
    console: Console

    def run(self) -> Exit:
        """Carry out the command that was given. Raises RefusedError, botocore's errors, OSError."""
        confirm.show(self.console, self.caller, self.target)
        commands: dict[str, Callable[[], Exit]] = {
            "inspect": self._inspect,
            "show": self._show,
            "redrive": self._redrive,
            "release": self._release,
            "purge": self._purge,
        }
        return commands[self.given.command]()

    @property
    def _queue(self) -> DeadLetterQueue:
        return DeadLetterQueue(aws.sqs(), self.target.dead_letters_url)

    @property
    def _halts(self) -> Halts | None:
        return (
            Halts(aws.dynamodb(), self.target.table, self.target.job, self.clock)
            if self.target.halts
            else None
        )

    def _inspect(self) -> Exit:
        queue = self._queue
        with self._progress("look", queue.depth().total) as reach:
            found = inspect(queue, self._halts, self.given.limit, self.clock.now(), reach)
        self._tell(found.document(), found.table())
        return Exit.DONE

    def _show(self) -> Exit:
        letter = show.find(self._queue, self.given.id)
        ledger = known(aws.dynamodb(), self.target.table, letter)
        found = show.describe(letter, ledger, personal=self.given.personal)
        self._tell(found, grid(found))
        return Exit.DONE

    def _redrive(self) -> Exit:
        redriving.refuse_where_groups_halt(self.target)
        wish = redriving.Wish(
            selection(self.given), self.given.limit, self.given.rate, self.given.hold, self.given.patience
        )
        if self.given.dry_run:
            return self._plan(wish)
        if self.given.native:
            native.check(wish.selection, wish.limit, wish.rate)
        depth = self._queue.depth().total
        ask(self.console, self.target.environment, f"Redrive from {depth:,} messages", yes=self.given.yes)
        if self.given.native:
            return self._native(wish)
        with self._counting("redrive", depth, "put back") as count:
            report = redriving.redrive(aws.sqs(), self.target, wish, self.clock, count)
        left = self._queue.depth()
        found = {
            "redriven": report.total,
            "by_class": dict(report.redriven.most_common()),
            "failed": len(report.failed),
            "reasons": sorted(set(report.failed.values())),
            "undeleted": report.undeleted,
            "set_aside": report.set_aside,
            "left": left.total,
            "left_hidden": left.hidden,
        }
        self._tell(found, grid(found))
        return Exit.PART if report.failed or report.undeleted else Exit.DONE

    def _plan(self, wish: redriving.Wish) -> Exit:
        found = redriving.plan(self._queue, wish, self.clock)
        table = Table(
            "#",
            "message",
            "group",
            "class",
            "redrives",
            title=f"{found.total:,} would go",
            title_justify="left",
        )
        for row in found.listed:
            table.add_row(
                *(plain(str(row[name] or "")) for name in ("place", "message_id", "group", "class")),
                str(row["redrives"]),
            )
        document = {
            "would_go": found.total,
            "by_class": dict(found.classes.most_common()),
            "order": found.listed,
            "unseen": found.unseen,
        }
        self._tell(document, table)
        if found.unseen:
            self.console.print(f"{found.unseen:,} more are behind these; a redrive goes through them too.")
        return Exit.DONE

    def _native(self, wish: redriving.Wish) -> Exit:
        arns = [
            native.arn_of(aws.sqs(), url) for url in (self.target.dead_letters_url, self.target.queue_url)
        ]
        with self._progress("move", None) as reach:
            moved = native.MoveTask(aws.sqs(), arns[0], arns[1], wish.rate, self.clock)(reach)
        found = {"status": moved.status, "moved": moved.moved, "to_move": moved.to_move}
        self._tell(found, grid(found))
        return Exit.DONE if moved.status == "COMPLETED" else Exit.PART

    def _release(self) -> Exit:
        releasing.check(self.target)
        halts = Halts(aws.dynamodb(), self.target.table, self.target.job, self.clock)
        if self.given.all == bool(self.given.groups):
            raise RefusedError("release: name groups, or write --all")
        groups = frozenset(self.given.groups)
        if not all(halts.read(group) for group in groups) or self.given.all:
            standing = releasing.groups_to_release(self._queue, halts)
            if unknown := sorted(groups - standing):
                raise RefusedError(
                    f"neither halted nor in the dead-letter queue: {', '.join(unknown)}; `inspect` lists the "
                    "groups that are"
                )
            groups = groups or standing
        ask(self.console, self.target.environment, f"Release {len(groups):,} groups", yes=self.given.yes)
        with self._counting("release", None, "put back") as count:
            outcome = releasing.Releasing(
                client=aws.sqs(),
                target=self.target,
                halts=halts,
                clock=self.clock,
                patience_seconds=self.given.patience,
                give_up=self._give_up if self.given.give_up else None,
                tell=count,
            )(groups)
        found = {
            "put_back": outcome.put_back,
            "released": sorted(outcome.ended),
            "still_halted": dict(sorted(outcome.halted.items())),
        }
        self._tell(found, grid(found))
        return Exit.PART if outcome.halted else Exit.DONE

    def _give_up(self, group: str) -> None:
        self._write_offs.enter_group(group, WriteOff(self.given.give_up, self.caller.arn))

    @property
    def _write_offs(self) -> WriteOffs:
        return WriteOffs(aws.dynamodb(), self.target.table, self.target.job, self.clock)

    def _purge(self) -> Exit:
        wanted = selection(self.given)
        if wanted.is_all != self.given.all:
            raise RefusedError("purge: say which messages, or write --all")
        kept = archive(self.given.archive, aws.s3)
        depth = self._queue.depth().total
        confirm.ask_for_name(self.console, self.target, f"Purge from {depth:,} messages", self.given.confirm)
        with self._counting("purge", depth, "archived and purged") as count:
            report = Purge(
                queue=self._queue,
                meant=lambda letter: wanted.meets(letter, self.clock.now()),
                archive=kept,
                write_offs=self._write_offs,
                write_off=WriteOff(self.given.reason, self.caller.arn),
                halts=self._halts,
                tell=count,
            )()
        left = self._queue.depth()
        unseen = max(0, left.total - report.kept - report.waiting - report.undeleted)
        found = {
            "purged": report.purged,
            "kept": report.kept,
            "waiting": report.waiting,
            "undeleted": report.undeleted,
            "unseen": unseen,
            "left": left.total,
            "archive": self.given.archive,
        }
        self._tell(found, grid(found))
        if unseen:
            self.console.print(
                f"{unseen:,} were not seen: behind messages of their group that stay, hidden by somebody "
                "else, or new.",
                soft_wrap=True,
            )
        return Exit.PART if report.undeleted or report.waiting or unseen else Exit.DONE

    @contextmanager
    def _counting(self, what: str, total: int | None, done: str) -> Iterator[Callable[[DeadLetter], None]]:
        """Count letters on a progress bar; where it ends early, say how many were `done` by then."""
        counted = 0
        try:
            with self._progress(what, total) as reach:

                def count(_letter: DeadLetter) -> None:
                    nonlocal counted
                    counted += 1
                    reach(counted)

                yield count
        except BaseException:
            self.console.print(f"{counted:,} {done} until then.", highlight=False)
            raise

    @contextmanager
    def _progress(self, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """Show how far it is on a terminal, and nothing elsewhere."""
        columns = (SpinnerColumn(), TextColumn(what), MofNCompleteColumn(), TimeElapsedColumn())
        shown = self.console.is_terminal and not self.given.json
        with Progress(*columns, console=self.console, transient=True, disable=not shown) as progress:
            task = progress.add_task(what, total=total)
            yield lambda done: progress.update(task, completed=done)

    def _tell(self, document: dict[str, Any], shown: Any) -> None:
        head = {"environment": self.target.environment, "job": self.target.job}
        tell({**head, **document}, shown, as_json=self.given.json)
