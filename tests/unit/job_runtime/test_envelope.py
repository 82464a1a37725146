"""The message: what is taken, what is refused, and that a refusal repeats no value."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from job_runtime.envelope import Contract, MalformedMessageError, PayloadReference, compile_schema
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from tests.support.sqs_events import charge

CONTRACT = Contract("charge", PAYLOAD_SCHEMAS["charge"])
REFERENCE = PayloadReference("payloads", "charge/x.json", "a" * 64, 300_000)


def altered(**changes: Any) -> str:
    """The body of a sound message with some members changed; None removes one."""
    body = json.loads(charge().body())
    body.update(changes)
    return json.dumps({name: value for name, value in body.items() if value is not ...})


def with_payload(text: str) -> str:
    """The body of a sound message with its payload written so."""
    return altered(payload=...)[:-1] + f', "payload": {text}}}'


def refusal(body: str) -> str:
    with pytest.raises(MalformedMessageError) as refused:
        CONTRACT.parse(body)
    return str(refused.value)


def test_what_is_written_is_read_back() -> None:
    for message in (
        charge(),
        charge("東京 支店", "e#1"),
        replace(charge(), payload=None, payload_ref=REFERENCE),
    ):
        assert CONTRACT.parse(message.body()) == message


def test_the_body_carries_the_key_and_the_version() -> None:
    body = json.loads(charge().body())
    assert body["idempotency_key"] == charge().idempotency_key
    assert body["schema_version"] == 1
    assert set(body) == {
        "schema_version",
        "job",
        "idempotency_key",
        "tenant_id",
        "employee_id",
        "period",
        "payload",
        "run_id",
        "scheduled_time",
    }


def test_order_of_members_and_blanks_and_a_decimal_point_make_no_other_message() -> None:
    other = json.dumps(dict(reversed(json.loads(charge(amount=1200).body()).items())), indent=2)
    for written in (other, other.replace("1200", "1200.0"), other.replace("1200", "1.2e3")):
        assert CONTRACT.parse(written).payload_hash == charge(amount=1200).payload_hash
    assert isinstance(CONTRACT.parse(other.replace("1200", "1200.0")).content["amount"], int)


@pytest.mark.parametrize(
    "amount",
    [
        "1200.5",
        "0.1",
        "1200.0000000000000000001",
        "-1",
        "1e300",
        "1e999999999",
        "1000000000001",
        "null",
        "true",
        "[1]",
        "{}",
        '"1200"',
        '""',
    ],
)
def test_an_amount_that_is_no_whole_number_in_range_is_refused(amount: str) -> None:
    said = refusal(with_payload(f'{{"amount": {amount}, "currency": "JPY"}}'))
    assert said.startswith("payload.amount: must keep to")


def test_a_number_is_taken_as_whole_while_its_digits_are_few() -> None:
    """One with a huge exponent is not written out, which would fill the memory."""
    for written, rule in (("9.0e18", "maximum"), ("1.0e19", "type")):
        assert f"must keep to {rule} " in refusal(with_payload(f'{{"amount": {written}, "currency": "JPY"}}'))


@pytest.mark.parametrize("number", ["1e1000000000000000000", "-1.5e9999999999999999999", "9" * 5000])
def test_a_number_that_no_decimal_holds_is_malformed_at_once(number: str) -> None:
    assert refusal(with_payload(f'{{"amount": {number}, "currency": "JPY"}}')).startswith(
        "body: must be JSON"
    )


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_refused(number: str) -> None:
    assert refusal(with_payload(f'{{"amount": {number}, "currency": "JPY"}}')).startswith("body: NaN")


def test_zero_and_the_largest_amount_are_taken() -> None:
    for amount in (0, 10**12):
        assert CONTRACT.parse(charge(amount=amount).body()).content["amount"] == amount


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ('{"amount": 1}', "payload: must have currency"),
        ('{"amount": 1, "currency": "USD"}', 'payload.currency: must keep to enum ["JPY"]'),
        (
            '{"amount": 1, "currency": "JPY", "tip": 1}',
            "payload: has a member that schema version 1 does not know",
        ),
        ("[]", 'payload: must keep to type "object"'),
        ("null", 'payload: must keep to type "object"'),
        ('{"amount": 1, "amount": 2, "currency": "JPY"}', "body: a member name appears twice in one object"),
    ],
)
def test_a_payload_that_breaks_the_jobs_schema_is_refused(payload: str, said: str) -> None:
    assert refusal(with_payload(payload)) == said


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"schema_version": 2, "new_field": 1}, "schema_version"),
        ({"schema_version": "1"}, "schema_version"),
        ({"schema_version": True}, "schema_version"),
        ({"schema_version": ...}, "body: must have schema_version"),
        ({"job": "co2"}, "job: must be charge"),
        ({"job": "Charge"}, "job"),
        ({"idempotency_key": ...}, "idempotency_key: must be present"),
        ({"idempotency_key": None}, "idempotency_key"),
        ({"idempotency_key": ""}, "idempotency_key"),
        ({"idempotency_key": "0" * 64}, "idempotency_key: must be the key of"),
        ({"employee_id": "e2"}, "idempotency_key: must be the key of"),
        ({"tenant_id": ""}, "tenant_id"),
        ({"tenant_id": " \t"}, "tenant_id"),
        ({"tenant_id": None}, "tenant_id"),
        ({"tenant_id": 7}, "tenant_id"),
        ({"tenant_id": "x" * 201}, "tenant_id"),
        ({"employee_id": "a\u0007"}, "employee_id"),
        ({"employee_id": "a\uffff"}, "employee_id"),
        ({"employee_id": "a\ud800"}, "employee_id"),
        ({"period": "2026-13"}, "period"),
        ({"period": "2026-00"}, "period"),
        ({"period": "2026-6"}, "period"),
        ({"period": "2026-06\n"}, "period"),
        ({"period": "\uff12026-06"}, "period"),
        ({"run_id": ""}, "run_id"),
        ({"run_id": "a b"}, "run_id"),
        ({"scheduled_time": "<aws.scheduler.scheduled-time>"}, "scheduled_time"),
        ({"scheduled_time": "2026-11-30T18:00:00+09:00"}, "scheduled_time"),
        ({"payload": ...}, "body: must have exactly one of payload and payload_ref"),
        ({"payload_ref": vars(REFERENCE)}, "body: must have exactly one of payload and payload_ref"),
        ({"payload": ..., "payload_ref": {}}, "payload_ref: must have bucket, key, sha256, bytes"),
        ({"payload": ..., "payload_ref": {**vars(REFERENCE), "bytes": 0}}, "payload_ref.bytes"),
        ({"payload": ..., "payload_ref": {**vars(REFERENCE), "sha256": "A" * 64}}, "payload_ref.sha256"),
        ({"payload": ..., "payload_ref": {**vars(REFERENCE), "bucket": "B_"}}, "payload_ref.bucket"),
        ({"extra": 1}, "body: has a member that schema version 1 does not know"),
    ],
)
def test_a_frame_that_breaks_the_schema_is_refused_by_field(change: Mapping[str, Any], field: str) -> None:
    assert refusal(altered(**change)).startswith(field)


@pytest.mark.parametrize(
    "body", ["", "{not json", "[]", "null", "1", '"text"', "[" * 100_000, "1" * 5_000, "\ufeff{}"]
)
def test_what_is_no_json_object_is_refused(body: str) -> None:
    assert refusal(body).startswith("body:")


def test_no_refusal_repeats_a_value() -> None:
    secret = "Taro-Yamada-4111111111111111"
    bodies = [
        secret,
        altered(tenant_id=secret + "\x00"),
        altered(period=secret),
        altered(**{secret: secret}),
        altered(payload={secret: secret}),
        altered(payload={"amount": secret, "currency": "JPY"}),
        altered(payload={"amount": 1, "currency": secret}),
        altered(idempotency_key=secret),
        altered(job=secret),
    ]
    assert not [body for body in bodies if secret in refusal(body)]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"tenant_id": "\ud800"}, "tenant_id"),
        ({"employee_id": "a\uffff"}, "employee_id"),
        ({"period": "2026-13"}, "period"),
        ({"payload": None}, "body"),
        ({"payload_ref": REFERENCE}, "body"),
    ],
)
def test_a_broken_message_is_refused_before_it_is_sent(change: Mapping[str, Any], field: str) -> None:
    with pytest.raises(MalformedMessageError, match=f"^{field}:"):
        replace(charge(), **change).body()


def test_the_hash_of_a_referenced_payload_is_the_references() -> None:
    assert replace(charge(), payload=None, payload_ref=REFERENCE).payload_hash == "a" * 64
    with pytest.raises(ValueError, match="by reference"):
        _ = replace(charge(), payload=None, payload_ref=REFERENCE).content


def test_the_content_of_a_payload_object_is_held_to_the_jobs_schema() -> None:
    assert CONTRACT.parse_payload('{"amount": 5.0, "currency": "JPY"}') == {"amount": 5, "currency": "JPY"}
    with pytest.raises(MalformedMessageError, match=r"^payload\.amount"):
        CONTRACT.parse_payload('{"amount": "5", "currency": "JPY"}')


LISTS = {
    "type": "object",
    "properties": {
        "counts": {"type": "array", "items": {"type": "integer"}},
        "day": {"type": "string", "format": "date", "default": "2026-11-30"},
    },
}


@pytest.mark.parametrize(
    ("root", "value", "said"),
    [
        ("payload", {"counts": [1, "x"]}, 'payload.counts.1: must keep to type "integer"'),
        ("payload", [], 'payload: must keep to type "object"'),
        ("", {"counts": {}}, 'counts: must keep to type "array"'),
        ("", [], 'body: must keep to type "object"'),
    ],
)
def test_a_field_is_named_by_its_whole_path(root: str, value: Any, said: str) -> None:
    check = compile_schema(LISTS, root=root) if root else compile_schema(LISTS)
    with pytest.raises(MalformedMessageError) as refused:
        check(value)
    assert str(refused.value) == said


def test_a_check_changes_nothing_and_leaves_formats_to_patterns() -> None:
    value: dict[str, Any] = {"counts": []}
    compile_schema(LISTS)(value)
    assert value == {"counts": []}
    compile_schema(LISTS)({"day": "someday"})


def test_a_contract_names_the_payload_as_such() -> None:
    contract = Contract("charge", PAYLOAD_SCHEMAS["charge"])
    with pytest.raises(MalformedMessageError, match=r"^payload\.amount: must keep to"):
        contract.parse(charge(amount=-1).body())
