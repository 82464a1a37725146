"""Whatever the ids are: keys and groups are legal, stable and shared by nobody."""

from hypothesis import given
from hypothesis import strategies as st

from job_runtime.envelope import Contract
from job_runtime.identity import GroupScope, group_id, idempotency_key, is_sqs_id, payload_hash
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from tests.support.sqs_events import charge

CONTRACT = Contract("charge", PAYLOAD_SCHEMAS["charge"])

ids = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
    min_size=1,
    max_size=150,
).filter(str.strip)
tricky_ids = st.text(st.sampled_from('#:",[]\\ ab1東'), min_size=1, max_size=8).filter(str.strip)
any_ids = st.one_of(ids, tricky_ids)
periods = st.from_regex(r"2[0-9]{3}-(0[1-9]|1[0-2])", fullmatch=True)
facts = st.tuples(any_ids, any_ids, periods)
scopes: st.SearchStrategy[GroupScope] = st.sampled_from(["tenant-month", "wallet"])


@given(facts, facts)
def test_two_facts_share_a_key_only_if_they_are_one(
    first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    same = idempotency_key("charge", *first) == idempotency_key("charge", *second)
    assert same == (first == second)


@given(facts)
def test_a_key_is_a_legal_deduplication_id_and_the_jobs_differ(fact: tuple[str, str, str]) -> None:
    key = idempotency_key("charge", *fact)
    assert is_sqs_id(key)
    assert len(key) == 64
    assert key != idempotency_key("co2", *fact)


@given(scopes, facts)
def test_every_group_is_one_that_sqs_takes(scope: GroupScope, fact: tuple[str, str, str]) -> None:
    assert is_sqs_id(group_id(scope, *fact))


@given(scopes, facts, facts)
def test_two_scopes_of_order_share_a_group_only_if_they_are_one(
    scope: GroupScope, first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    def unit(fact: tuple[str, str, str]) -> tuple[str, str]:
        tenant, employee, period = fact
        return (tenant, period) if scope == "tenant-month" else (tenant, employee)

    same = group_id(scope, *first) == group_id(scope, *second)
    assert same == (unit(first) == unit(second))


@given(any_ids, any_ids, periods, st.integers(0, 10**12))
def test_a_message_survives_the_queue(tenant: str, employee: str, period: str, amount: int) -> None:
    message = charge(tenant, employee, period=period, amount=amount)
    assert CONTRACT.parse(message.body()) == message


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers()), st.randoms())
def test_the_order_of_members_never_changes_a_hash(payload: dict[str, int], random: object) -> None:
    members = list(payload.items())
    random.shuffle(members)  # type: ignore[attr-defined]
    assert payload_hash(dict(members)) == payload_hash(payload)
