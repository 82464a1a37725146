"""The charge consumer, put together from its environment."""

from datetime import timedelta

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
    """The consumer of one container; with PAYMENT_ENDPOINT it captures there, under leases of LEASE_SECONDS.

    A lease (60 s unless told) must outlive the invocation that holds it, so that its holder is gone when
    another takes it over; no longer, or the messages of a killed process wait for nothing.

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
    lasts = timedelta(seconds=settings.integer("LEASE_SECONDS", low=2, high=960, default=60))
    leases = Leases(aws.dynamodb(), table, clock, lasts)
    return CapturedCharges(tenants, ledger, leases, PaymentApi(endpoint)).apply
