"""What goes wrong, as Terraform diagnostics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tf.gen import tfplugin_pb2 as pb


class Problem(Exception):  # noqa: N818 - a problem found in a configuration is not always an exception
    """An error diagnostic: `summary` names the thing, `detail` the rule and the remedy.

    `path` is the dotted name of the argument at fault.
    """

    def __init__(self, summary: str, detail: str = "", path: str = "") -> None:
        super().__init__(summary)
        self.summary = summary
        self.detail = detail
        self.path = path

    def diagnostic(self) -> Any:
        """The protocol's message."""
        return pb.Diagnostic(
            severity=pb.Diagnostic.ERROR,
            summary=self.summary,
            detail=self.detail,
            attribute=attribute_path(self.path) if self.path else None,
        )


def attribute_path(path: str) -> Any:
    """The protocol's form of a dotted path; a step that is a number is an index."""
    return pb.AttributePath(
        steps=[
            pb.AttributePath.Step(element_key_int=int(step))
            if step.isdecimal()
            else pb.AttributePath.Step(attribute_name=step)
            for step in path.split(".")
        ]
    )


def diagnostics(problems: Iterable[Problem]) -> list[Any]:
    """The messages of several problems."""
    return [problem.diagnostic() for problem in problems]


def not_implemented(type_name: str, argument: str = "", value: Any = None) -> Problem:
    """The refusal of a type, an argument or a value that the genuine provider has and the stand-in lacks."""
    thing = type_name + (f".{argument}" if argument else "") + (f" = {value!r}" if value is not None else "")
    return Problem(
        f"{thing} is not implemented by the stand-in for hashicorp/aws",
        "The genuine provider knows it; the local stand-in refuses what it cannot carry out. Leave it out "
        "for a local run, add it to the declaration under local/provider/resources, or run with the genuine "
        "provider (PROVIDER=registry).",
        argument,
    )
