"""Terraform values and their msgpack form."""

from __future__ import annotations

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.provider.engine.values import (
    UNKNOWN,
    at,
    decode,
    encode,
    is_zero,
    number,
    wholly_known,
    without_unknowns,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text() | st.just(UNKNOWN),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_what_is_encoded_is_decoded_to_the_same(value: object) -> None:
    assert decode(encode(value)) == value


def test_unknown_is_extension_type_zero_on_the_wire() -> None:
    assert encode(UNKNOWN) == b"\xd4\x00\x00"


def test_an_unknown_with_refinements_is_unknown() -> None:
    assert decode(msgpack.packb(msgpack.ExtType(12, b"\x81\x01\xc2"))) is UNKNOWN


def test_an_extension_that_terraform_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="extension type 7"):
        decode(msgpack.packb(msgpack.ExtType(7, b"x")))


def test_no_bytes_are_null() -> None:
    assert decode(b"") is None


@pytest.mark.parametrize("zero", [None, False, 0, "", [], {}])
def test_the_sdk_cannot_tell_zero_values_from_null(zero: object) -> None:
    assert is_zero(zero)


@pytest.mark.parametrize("value", [True, 1, -1, "0", [None], {"a": None}, UNKNOWN])
def test_other_values_are_not_zero(value: object) -> None:
    assert not is_zero(value)


def test_numbers_sent_as_text_are_numbers() -> None:
    assert (number("12"), number(3.0), number(2.5)) == (12, 3, 2.5)


def test_an_unknown_at_any_depth_makes_a_value_not_known() -> None:
    assert not wholly_known({"a": [{"b": UNKNOWN}]})
    assert wholly_known({"a": [{"b": None}]})
    assert without_unknowns({"a": [{"b": UNKNOWN}]}) == {"a": [{"b": None}]}


def test_a_path_reaches_into_every_item_of_a_block() -> None:
    values = {"target": [{"arn": "a", "retry": [{"n": 1}, {"n": 2}]}, {"arn": "b", "retry": []}]}
    assert list(at(values, "target.arn")) == ["a", "b"]
    assert list(at(values, "target.retry.n")) == [1, 2]
    assert list(at(values, "missing")) == []
