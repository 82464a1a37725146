"""Wrong use of the verbs is one line that says what to write, before anything is started."""

from __future__ import annotations

import pytest

from deploy.request import WrongUse, parse


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan", ""], "ENV is ''"),
        (["plan", "production"], "ENV is 'production': write ENV=dev, ENV=prod or ENV=stg"),
        (["plan", "local", "--offline"], "ENV is 'local'"),
        (["apply", "../prod"], "ENV is '../prod'"),
        (["plan", "dev", "stg"], "takes 1"),
        (["diff", "stg"], "takes 2"),
        (["diff", "stg", "Prod"], "B is 'Prod': write B=dev, B=prod or B=stg"),
        (["diff", "stg", "stg"], "both 'stg'"),
        (["apply", "dev", "--offline"], "OFFLINE=1 plans only"),
        (["destroy", "dev", "--offline"], "OFFLINE=1 plans only"),
        (["apply", "dev", "--no-lock"], "LOCK=0 is for plans only"),
        (["destroy", "dev", "--no-lock"], "LOCK=0 is for plans only"),
        (["plan", "dev", "--plan", "x.tfplan"], "PLAN is for apply only"),
        (["destroy", "dev", "--plan", "x.tfplan"], "PLAN is for apply only"),
        (["apply", "dev", "--digest", "abc"], "PLAN=dist/plans/"),
        (["unlock", "dev"], "LOCK_ID"),
        (["apply", "dev", "--lock-id", "abc"], "LOCK_ID"),
    ],
)
def test_wrong_use_is_named(arguments: list[str], said: str) -> None:
    with pytest.raises(WrongUse) as refused:
        parse(arguments)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("verb", ["plan", "apply", "destroy"])
def test_another_provider_than_the_locked_one_is_refused(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_REATTACH_PROVIDERS", "{}")

    with pytest.raises(WrongUse, match="TF_REATTACH_PROVIDERS"):
        parse([verb, "dev"])
    assert parse(["plan", "dev", "--offline"]).offline
