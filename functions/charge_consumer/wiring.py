"""The charge consumer, put together from its environment."""

from charge_consumer.charge import CapturedCharges, Charges, Ledger
from charge_consumer.payment import PaymentApi
from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.config import Settings
from job_runtime.consumer import Apply, Consumer
from job_runtime.effects.lease import Leases
from job_runtime.envelope import Contract
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.tenants import Tenants
from job_runtime.wiring import consumer_from


def build(settings: Settings, clock: Clock) -> Consumer:
    """The consumer of one container; with PAYMENT_ENDPOINT it captures there.

    Raises ConfigurationError naming the variable that is missing or wrong.
    """
    job = settings.choice("JOB_NAME", ("charge",))
    return consumer_from(
        settings,
        contract=Contract(job, PAYLOAD_SCHEMAS[job]),
        apply=_effect(settings, clock),
        done_metric="Charged",
        clock=clock,
    )


def _effect(settings: Settings, clock: Clock) -> Apply:
    table = settings.required("JOB_TABLE")
    tenants = Tenants(aws.dynamodb(), settings.required("DIRECTORY_TABLE"), clock)
    ledger = Ledger(aws.dynamodb(), table, clock)
    endpoint = settings.url("PAYMENT_ENDPOINT", required=False)
    if endpoint is None:
        return Charges(tenants, ledger).apply
    return CapturedCharges(tenants, ledger, Leases(aws.dynamodb(), table, clock), PaymentApi(endpoint)).apply
