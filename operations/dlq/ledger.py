"""What the job table knows of a message's key."""

from typing import TYPE_CHECKING, Any, Final

from job_runtime.dead_letters import DeadLetter
from job_runtime.envelope import ID_SCHEMA, PERIOD_PATTERN, MalformedMessageError, compile_schema
from job_runtime.identity import idempotency_key, payload_hash

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_NAMES: Final = {
    "job": {**ID_SCHEMA, "maxLength": 32},
    "tenant_id": ID_SCHEMA,
    "employee_id": ID_SCHEMA,
    "period": {"type": "string", "pattern": PERIOD_PATTERN},
}
_check = compile_schema({"type": "object", "required": list(_NAMES), "properties": _NAMES})


def known(client: "DynamoDBClient", table: str, letter: DeadLetter) -> dict[str, Any]:
    """What is known: `state` (`took effect`, `took effect with another payload`, `no effect`, `unknown`), and
    of an effect `at` and `run_id`, of a lease `lease`, of failed attempts `attempts`.

    `unknown`: the body names no job, tenant, employee and period that could have rows. Raises botocore's
    errors.
    """
    try:
        _check(letter.fields)
    except MalformedMessageError:
        return {"state": "unknown"}
    job, tenant, employee, period = (str(letter.fields[name]) for name in _NAMES)
    key = idempotency_key(job, tenant, employee, period)

    def row(sk: str) -> dict[str, Any]:
        answer = client.get_item(
            TableName=table, Key={"pk": {"S": tenant}, "sk": {"S": sk}}, ConsistentRead=True
        )
        return dict(answer.get("Item", {}))

    found: dict[str, Any] = {"state": "no effect"}
    effect, lease, attempts = (
        row(sk) for sk in (f"{job}#{period}#{employee}", f"effect#{key}", f"attempt#{key}")
    )
    if effect:
        same = effect.get("payload_hash") == {"S": _hash(letter)}
        found["state"] = "took effect" if same else "took effect with another payload"
        found["at"] = next(
            (effect[name]["S"] for name in ("charged_at", "aggregated_at") if name in effect), None
        )
        found["run_id"] = effect.get("run_id", {}).get("S")
    if lease:
        found["lease"] = lease["state"]["S"]
    if attempts:
        found["attempts"] = int(attempts["attempts"]["N"])
    return found


def _hash(letter: DeadLetter) -> str:
    reference = letter.fields.get("payload_ref")
    if isinstance(reference, dict):
        return str(reference.get("sha256"))
    return payload_hash(letter.fields.get("payload"))
