"""Whatever arrives as a body: it is a message or it is refused, and a refusal is a sentence of ours."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from job_runtime.envelope import Contract, MalformedMessageError
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from tests.support.sqs_events import charge

CONTRACT = Contract("charge", PAYLOAD_SCHEMAS["charge"])
MEMBERS = sorted(json.loads(charge().body()))

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def parse(body: str) -> Any:
    try:
        return CONTRACT.parse(body)
    except MalformedMessageError as refused:
        return str(refused)


@given(st.text())
def test_any_text_is_refused_by_name(body: str) -> None:
    assert ": " in parse(body)


@given(values)
def test_any_json_is_refused_by_name(value: Any) -> None:
    assert ": " in parse(json.dumps(value))


@given(st.sampled_from(MEMBERS), values)
def test_a_member_with_any_other_value_is_refused_or_is_the_same_message(member: str, value: Any) -> None:
    body = json.loads(charge().body())
    body[member] = value
    parsed = parse(json.dumps(body))
    if not isinstance(parsed, str):
        assert parsed.idempotency_key == charge().idempotency_key


@given(st.sampled_from(["amount", "currency"]), values)
def test_an_amount_is_a_whole_number_or_refused(member: str, value: Any) -> None:
    body = json.loads(charge().body())
    body["payload"][member] = value
    parsed = parse(json.dumps(body))
    if not isinstance(parsed, str):
        amount = parsed.content["amount"]
        assert isinstance(amount, int)
        assert not isinstance(amount, bool)
        assert 0 <= amount <= 10**12
        assert parsed.content["currency"] == "JPY"
