"""The usual way, one: Powertools' FIFO processor with an idempotent function around the charge."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)

from benchmarks.consumer.effect import add_to_balance, dynamodb
from benchmarks.consumer.latency import Distance


def consumer(distance: Distance) -> Any:
    """Return the handler, its client behind DISTANCE."""
    client = dynamodb(distance)
    processor = SqsFifoPartialProcessor()
    store = DynamoDBPersistenceLayer(table_name="idempotency", boto3_client=client)
    config = IdempotencyConfig(event_key_jmespath="idempotency_key")

    @idempotent_function(  # type: ignore[untyped-decorator]
        data_keyword_argument="message", config=config, persistence_store=store
    )
    def charge(message: dict[str, Any]) -> Any:
        add_to_balance(client, message)
        return {"charged": message["employee_id"]}

    def one(record: SQSRecord) -> Any:
        return charge(message=record.json_body)

    def handler(event: dict[str, Any], context: Any) -> Any:
        config.register_lambda_context(context)
        return process_partial_response(event=event, record_handler=one, processor=processor, context=context)

    return handler
