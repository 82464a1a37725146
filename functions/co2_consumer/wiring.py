"""The co2 consumer, put together from its environment."""

from collections.abc import Mapping
from typing import Any

from co2_consumer.aggregation import Aggregation
from job_runtime import aws
from job_runtime.batch import LambdaContext
from job_runtime.clock import Clock
from job_runtime.config import Settings
from job_runtime.consumer import Consumer
from job_runtime.envelope import Contract
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.tenants import Tenants
from job_runtime.wiring import consumer_from


class Co2Consumer:
    """The consumer of one container; calling it handles one SQS event."""

    def __init__(self, aggregation: Aggregation, consumer: Consumer) -> None:
        self._aggregation = aggregation
        self._consumer = consumer

    def __call__(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, list[dict[str, str]]]:
        """Handle one event, as `Consumer` does."""
        self._aggregation.begin(context)
        return self._consumer(event, context)


def build(settings: Settings, clock: Clock) -> Co2Consumer:
    """The consumer, from its environment. Raises ConfigurationError naming the variable that is missing or
    wrong."""
    settings.forbid("POWERTOOLS_IDEMPOTENCY_DISABLED", "every message would run unguarded")
    job = settings.choice("JOB_NAME", ("co2",))
    aggregation = Aggregation(
        aws.dynamodb(),
        settings.required("JOB_TABLE"),
        settings.required("IDEMPOTENCY_TABLE"),
        Tenants(aws.dynamodb(), settings.required("DIRECTORY_TABLE"), clock),
        clock,
    )
    consumer = consumer_from(
        settings,
        contract=Contract(job, PAYLOAD_SCHEMAS[job]),
        apply=aggregation.apply,
        done_metric="Aggregated",
        clock=clock,
    )
    return Co2Consumer(aggregation, consumer)
