"""The stand-in refuses what hashicorp/aws refuses, when it refuses it, and accepts what it accepts."""

from __future__ import annotations

import pytest

from deploy.terraform import stand_in
from local.provider.schema import RESOURCES
from tests.local.probes.table import LATE, PROBES
from tests.local.probes.verdicts import Verdicts, addressed, judge

_ADDRESSED = addressed(PROBES)


@pytest.fixture(scope="session")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    """What the stand-in says of every probe."""
    with stand_in({}) as environment:
        return judge(_ADDRESSED, tmp_path_factory.mktemp("probes"), environment, LATE)


@pytest.mark.parametrize("address", _ADDRESSED, ids=[probe.label for probe in PROBES])
def test_a_verdict(verdicts: Verdicts, address: str) -> None:
    probe = _ADDRESSED[address]
    assert verdicts.of(address) == probe.expected, verdicts.words(address)


def test_a_refusal_is_a_sentence_about_the_resource(verdicts: Verdicts) -> None:
    """None of them is an error of the stand-in itself, or a lack."""
    words = [word for address in _ADDRESSED for word in verdicts.words(address)]
    assert [word for word in words if "the stand-in" in word] == []


def test_no_two_probes_are_the_same() -> None:
    configs = [f"{probe.type} {probe.config}" for probe in PROBES]
    assert sorted(configs) == sorted(set(configs))


def test_every_type_is_probed() -> None:
    assert set(RESOURCES) <= {probe.type for probe in PROBES}
