"""The charge consumer, put together from its environment."""

from charge_consumer.charge import Charges
from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.config import Settings
from job_runtime.consumer import Consumer
from job_runtime.envelope import Contract
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.tenants import Tenants
from job_runtime.wiring import consumer_from


def build(settings: Settings, clock: Clock) -> Consumer:
    """The consumer of one container. Raises ConfigurationError naming the variable that is missing or
    wrong."""
    job = settings.choice("JOB_NAME", ("charge",))
    tenants = Tenants(aws.dynamodb(), settings.required("DIRECTORY_TABLE"), clock)
    charges = Charges(aws.dynamodb(), settings.required("JOB_TABLE"), tenants, clock)
    return consumer_from(
        settings,
        contract=Contract(job, PAYLOAD_SCHEMAS[job]),
        apply=charges.apply,
        done_metric="Charged",
        clock=clock,
    )
