"""Keys, hashes and groups."""

import hashlib

import pytest

from job_runtime.identity import (
    canonical_json,
    entry_id,
    group_id,
    idempotency_key,
    is_sqs_id,
    payload_hash,
    run_id,
)


def test_the_key_is_the_hash_of_a_json_array() -> None:
    expected = hashlib.sha256('["charge","t1","社員","2026-11"]'.encode()).hexdigest()
    assert idempotency_key("charge", "t1", "社員", "2026-11") == expected


def test_ids_that_hold_a_separator_share_no_key() -> None:
    pairs = [("a:b", "c"), ("a", "b:c"), ("a#b", "c"), ("a", "b#c"), ('a","b', "c"), ("a", 'b","c')]
    assert len({idempotency_key("charge", tenant, employee, "2026-11") for tenant, employee in pairs}) == len(
        pairs
    )


def test_two_tenants_with_the_same_employee_and_month_share_no_key() -> None:
    assert idempotency_key("charge", "t1", "e1", "2026-06") != idempotency_key(
        "charge", "t2", "e1", "2026-06"
    )


def test_the_order_of_members_does_not_change_a_payloads_hash() -> None:
    assert payload_hash({"amount": 1, "currency": "JPY"}) == payload_hash({"currency": "JPY", "amount": 1})
    assert payload_hash({"amount": 1}) != payload_hash({"amount": 2})


def test_canonical_json_is_sorted_dense_and_unescaped() -> None:
    assert canonical_json({"b": [1, 2], "a": "東"}) == '{"a":"東","b":[1,2]}'
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


def test_a_readable_group_is_kept() -> None:
    assert group_id("tenant-month", "t1", "e1", "2026-11") == "t1#2026-11"
    assert group_id("wallet", "t1", "e1", "2026-11") == "t1#e1"


@pytest.mark.parametrize("tenant", ["東京支店", "a b", "😀", "a\x7f", "t#1", "x" * 121])
def test_a_group_that_sqs_would_refuse_or_that_is_ambiguous_is_hashed(tenant: str) -> None:
    group = group_id("tenant-month", tenant, "e1", "2026-11")
    assert is_sqs_id(group)
    assert len(group) == 64
    assert group == hashlib.sha256(canonical_json(["tenant-month", tenant, "2026-11"]).encode()).hexdigest()


def test_the_longest_group_that_fits_is_kept() -> None:
    assert group_id("tenant-month", "x" * 120, "e1", "2026-11") == "x" * 120 + "#2026-11"


def test_what_sqs_takes_as_an_id() -> None:
    assert is_sqs_id("!~aZ0#" + "x" * 122)
    assert is_sqs_id("a")
    assert not any(is_sqs_id(text) for text in ("", " ", "a b", "é", "x" * 129, "a\n"))


def test_a_second_firing_is_the_same_run() -> None:
    assert run_id("charge", "2026-11") == "charge-2026-11"


def test_entry_ids_are_places() -> None:
    assert [entry_id(place) for place in (0, 9)] == ["0", "9"]
