"""Names of what may be FIFO: queues and topics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local.provider.engine.errors import Problem
from local.provider.engine.validation import Planned, PlanRule
from local.provider.engine.values import known

_SUFFIX = ".fifo"
_SERIAL = "0" * 26  # as long as what the provider adds to a prefix


def fifo_name(kind: str, flag: str, longest: int) -> PlanRule:
    """The name of a new `kind` has at most `longest` characters, and .fifo at its end if `flag` is true."""

    def rule(change: Planned) -> Iterator[Problem]:
        if change.prior is not None:
            return
        name, prefix, fifo = (known(change.config[key]) for key in ("name", "name_prefix", flag))
        suffix = _SUFFIX if fifo else ""
        full = name or f"{prefix or 'terraform-'}{_SERIAL}{suffix}"
        if not re.fullmatch(rf"[0-9A-Za-z_-]{{1,{longest - len(suffix)}}}{re.escape(suffix)}", full):
            ending = "and .fifo at the end" if fifo else f"and no dot, unless {flag} is true"
            yield Problem(
                f"invalid {kind} name: {name or prefix}",
                f"Write at most {longest} letters, digits, - and _, {ending}.",
                "name",
            )

    return rule
