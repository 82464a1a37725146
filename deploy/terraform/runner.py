"""Terraform commands for one root, from Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from deploy.terraform.attach import refuse_shared_environment
from deploy.terraform.command import terraform_command

Event = Mapping[str, Any]
_GRACE_SECONDS = 30


class TerraformError(Exception):
    """Terraform ended with an error; `diagnostics` are its error diagnostics, when it gave any."""

    def __init__(
        self, command: str, status: int, diagnostics: Sequence[Mapping[str, Any]], output: str = ""
    ) -> None:
        told = [
            f"{item['summary']}: {item['detail']}" if item.get("detail") else item["summary"]
            for item in diagnostics
        ]
        super().__init__(
            f"terraform {command} ended with status {status}: " + ("; ".join(told) or output.strip())
        )
        self.status = status
        self.diagnostics = list(diagnostics)


class Terraform:
    """One root module. `env` is added to this process's environment (see `stand_in`).

    `data_dir` takes what Terraform would keep in `.terraform`, `state` is the local state file: with both,
    nothing is written beside the configuration. `variables` are what JSON can hold, and arrive as they are.
    """

    def __init__(
        self,
        directory: Path,
        env: Mapping[str, str],
        variables: Mapping[str, Any] | None = None,
        *,
        data_dir: Path | None = None,
        state: Path | None = None,
    ) -> None:
        self.directory = directory.resolve()
        self._env = {**os.environ, **env, **({"TF_DATA_DIR": str(data_dir.resolve())} if data_dir else {})}
        self._attached = "TF_REATTACH_PROVIDERS" in env
        self._variables = dict(variables or {})
        self._state = [f"-state={state.resolve()}"] if state else []
        self._state_file = state.resolve() if state else None
        self._status, self._errors = 0, ""  # of the command that ran last

    def init(self, *options: str) -> None:
        """`terraform init`. Raises TerraformError."""
        self._text(["init", "-input=false", "-no-color", *options])

    def validate(self) -> None:
        """`terraform validate`. Raises TerraformError with its diagnostics."""
        text = self._text(["validate", "-json"], allowed=(0, 1))
        answer = json.loads(text)
        if not answer["valid"]:
            raise TerraformError(
                "validate", 1, [item for item in answer["diagnostics"] if item["severity"] == "error"]
            )

    def plan(self, on_event: Callable[[Event], None] | None = None, *options: str) -> dict[str, int]:
        """`terraform plan`: how many to `add`, `change`, `import` and `remove`. Raises TerraformError."""
        return self._changes("plan", options, on_event)

    def apply(self, on_event: Callable[[Event], None] | None = None, *options: str) -> dict[str, int]:
        """`terraform apply`: how many were added, changed, imported, removed. Raises TerraformError."""
        return self._changes("apply", ["-auto-approve", *options], on_event)

    def destroy(self, on_event: Callable[[Event], None] | None = None, *options: str) -> dict[str, int]:
        """`terraform destroy`: `remove` is how many were destroyed. Raises TerraformError."""
        return self._changes("destroy", ["-auto-approve", *options], on_event)

    def import_resource(self, address: str, identifier: str) -> None:
        """`terraform import`. Raises TerraformError."""
        with self._variable_file() as given:
            self._text(["import", "-input=false", "-no-color", *self._state, *given, address, identifier])

    def force_unlock(self, lock_id: str) -> None:
        """`terraform force-unlock`: free the state's lock of this id. Raises TerraformError."""
        self._text(["force-unlock", "-force", "-no-color", lock_id])

    def show_json(self, plan: Path | None = None) -> dict[str, Any]:
        """`terraform show -json` of a plan file, else of the state. Raises TerraformError."""
        file = plan.resolve() if plan else self._state_file
        shown: dict[str, Any] = json.loads(self._text(["show", "-json", *([str(file)] if file else [])]))
        return shown

    def show(self, plan: Path) -> str:
        """What `terraform show` says of a plan file to a person. Raises TerraformError."""
        return self._text(["show", "-no-color", str(plan.resolve())])

    def output(self) -> dict[str, Any]:
        """The root's outputs by name, as values. Raises TerraformError."""
        outputs = json.loads(self._text(["output", "-json", *self._state]))
        return {name: output["value"] for name, output in outputs.items()}

    def resources(self) -> list[str]:
        """The addresses in the state, also of data sources; none without a state. Raises TerraformError."""
        if self._state_file and not self._state_file.exists():
            return []
        return self._text(["state", "list", *self._state]).splitlines()

    @contextmanager
    def _variable_file(self) -> Iterator[list[str]]:
        """The option that passes the variables: in a file, as text on a command line would be a template."""
        if not self._variables:
            yield []
            return
        with tempfile.TemporaryDirectory(prefix="terraform-variables-") as folder:
            file = Path(folder, "terraform.tfvars.json")
            file.write_text(json.dumps(self._variables), encoding="utf-8")
            yield [f"-var-file={file}"]

    def _changes(
        self, command: str, options: Sequence[str], on_event: Callable[[Event], None] | None
    ) -> dict[str, int]:
        with self._variable_file() as given:
            arguments = [command, "-json", "-input=false", *self._state, *given, *options]
            return self._followed(arguments, on_event)

    def _followed(self, arguments: list[str], on_event: Callable[[Event], None] | None) -> dict[str, int]:
        problems: list[Mapping[str, Any]] = []
        summary: dict[str, int] = {}
        # Closed here rather than when it is collected: an error of `on_event` must end Terraform at once.
        with closing(self._lines(arguments)) as lines:
            for line in lines:
                if not line.startswith("{"):
                    continue
                event = json.loads(line)
                if event.get("type") == "diagnostic" and event["diagnostic"]["severity"] == "error":
                    problems.append(event["diagnostic"])
                elif event.get("type") == "change_summary":
                    summary = {
                        key: value for key, value in event["changes"].items() if isinstance(value, int)
                    }
                if on_event is not None:
                    on_event(event)
        if self._status:
            raise TerraformError(arguments[0], self._status, problems, self._errors)
        return summary

    def _text(self, arguments: list[str], allowed: tuple[int, ...] = (0,)) -> str:
        text = "".join(self._lines(arguments))
        if self._status not in allowed:
            raise TerraformError(arguments[0], self._status, [], self._errors or text)
        return text

    def _lines(self, arguments: list[str]) -> Generator[str, None, None]:
        """The command's output by line; when the reader goes away, Terraform is interrupted and awaited."""
        if self._attached:
            refuse_shared_environment(arguments, self.directory)
        with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [*terraform_command(), *arguments],
                cwd=self.directory,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C reaches this process, which passes it on once: twice aborts
            )
            assert process.stdout is not None  # noqa: S101 - a pipe was asked for
            try:
                # Not `yield from`: it would close the pipe that Terraform still writes to.
                for line in process.stdout:  # noqa: UP028
                    yield line
                self._status = process.wait()
            finally:
                _stop(process)
                errors.seek(0)
                self._errors = errors.read()


def _stop(process: subprocess.Popen[str]) -> None:
    """End a command that still runs: interrupt it, drain what it writes, kill it when it does not end."""
    if process.poll() is None and process.stdout is not None:
        process.send_signal(signal.SIGINT)
        drain = threading.Thread(target=process.stdout.read, daemon=True)
        drain.start()
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        drain.join()
    if process.stdout is not None:
        process.stdout.close()
