"""Adding up one employee's emissions of a month, kept to once by Powertools.

The row is an upsert of what the message says, so running it twice would do no harm; Powertools spares the
work, recognises duplicates and refuses a second payload under one key. Three requests a message: claim,
row, completion.
"""

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyPersistenceLayerError,
    IdempotencyValidationError,
)

from job_runtime.batch import LambdaContext
from job_runtime.clock import Clock, timestamp
from job_runtime.effects import Effect
from job_runtime.envelope import Message
from job_runtime.failures import PayloadMismatchError, WaitingError
from job_runtime.records import Record
from job_runtime.tenants import Tenants

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext as PowertoolsContext
    from mypy_boto3_dynamodb import DynamoDBClient

KEY_PREFIX = "co2"
"""Fixed: by default Powertools takes the function's name, and a rename would run every message again."""

CLAIMS_LAST_SECONDS = 90 * 24 * 60 * 60


class Aggregation:
    """The co2 rows of the job table, guarded by the idempotency table."""

    def __init__(
        self, client: "DynamoDBClient", table: str, idempotency_table: str, tenants: Tenants, clock: Clock
    ) -> None:
        """`table`: the job table; `idempotency_table`: Powertools' own (key `id`, TTL `expiration`)."""
        self._client = client
        self._table = table
        self._tenants = tenants
        self._clock = clock
        self._config = IdempotencyConfig(
            event_key_jmespath="idempotency_key",
            payload_validation_jmespath="payload_hash",
            raise_on_no_idempotency_key=True,
            expires_after_seconds=CLAIMS_LAST_SECONDS,
            hash_function="sha256",
            response_hook=lambda _response, _record: Effect.DUPLICATE.value,
        )
        store = DynamoDBPersistenceLayer(table_name=idempotency_table, boto3_client=client)
        # Powertools configures the store at the first call, in a way that a second thread can see half done.
        store.configure(config=self._config, key_prefix=KEY_PREFIX)
        self._write_once = idempotent_function(
            self._write,
            data_keyword_argument="identity",
            config=self._config,
            persistence_store=store,
            key_prefix=KEY_PREFIX,
        )

    def begin(self, context: LambdaContext) -> None:
        """Tell Powertools when the invocation ends, before the first message: a claim without an end locks
        its key."""
        self._config.register_lambda_context(cast("PowertoolsContext", context))

    def apply(self, message: Message, record: Record) -> Effect:
        """Write the row of the message, once.

        Raises RejectedError for an unknown tenant, PayloadMismatchError for a key that has another payload,
        WaitingError while another delivery is at it, and botocore's errors.
        """
        if self._config.lambda_context is None:
            raise RuntimeError("call begin(context) before the first message")
        self._tenants.require(message.tenant_id)
        identity = {"idempotency_key": message.idempotency_key, "payload_hash": message.payload_hash}
        try:
            return Effect(self._write_once(identity=identity, message=message, record=record))
        except IdempotencyValidationError as error:
            raise PayloadMismatchError("this key has taken effect with another payload") from error
        except IdempotencyAlreadyInProgressError as error:
            left = self._config.lambda_context.get_remaining_time_in_millis() / 1000
            raise WaitingError("another delivery is at work on this key", left) from error
        except IdempotencyPersistenceLayerError as error:
            # Powertools wraps what DynamoDB said; the classes of failure look at what it was.
            raise (error.__cause__ or error) from None

    def _write(self, *, identity: dict[str, str], message: Message, record: Record) -> str:
        by_category: Counter[str] = Counter()
        for emission in message.content["emissions"]:
            by_category[emission["category"]] += emission["grams"]
        item: dict[str, Any] = {
            "pk": {"S": message.tenant_id},
            "sk": {"S": f"co2#{message.period}#{message.employee_id}"},
            "grams": {"N": str(by_category.total())},
            "by_category": {"M": {category: {"N": str(grams)} for category, grams in by_category.items()}},
            "payload_hash": {"S": identity["payload_hash"]},
            "run_id": {"S": message.run_id},
            "aggregated_at": {"S": timestamp(self._clock.now())},
        }
        if record.sequence_number is not None:
            item["sequence_number"] = {"S": record.sequence_number}
        self._client.put_item(TableName=self._table, Item=item)
        return Effect.APPLIED.value
