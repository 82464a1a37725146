"""What the dispatcher and the auditor of a job share: settings, and how messages are made."""

from dataclasses import dataclass
from typing import Self, cast, get_args
from zoneinfo import ZoneInfo

from job_runtime import aws
from job_runtime.config import ConfigurationError, Settings
from job_runtime.identity import GroupScope
from job_runtime.outbox import LargePayloads, MessageBuilder
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.payloads import Payloads
from job_runtime.period import PeriodPolicy, ScheduleError, load_zone
from job_runtime.sender import BATCH_BYTES


@dataclass(frozen=True, slots=True)
class DispatchSettings:
    """Which job, where its tables and queue are, and how its schedule is read."""

    job: str
    job_table: str
    directory_table: str
    queue_url: str
    zone: ZoneInfo
    policy: PeriodPolicy
    scope: GroupScope
    threads: int
    page_size: int

    @classmethod
    def read(cls, settings: Settings) -> Self:
        """Read and check the variables; raises ConfigurationError naming the one that is missing or wrong."""
        try:
            zone = load_zone(settings.required("TIMEZONE"))
        except ScheduleError as error:
            raise ConfigurationError(
                "TIMEZONE must be a name of the IANA database: write Asia/Tokyo, say"
            ) from error
        queue_url = settings.url("QUEUE_URL")
        if not queue_url.endswith(".fifo"):
            raise ConfigurationError("QUEUE_URL must be the URL of a FIFO queue, ending in .fifo")
        return cls(
            job=settings.choice("JOB_NAME", tuple(PAYLOAD_SCHEMAS)),
            job_table=settings.required("JOB_TABLE"),
            directory_table=settings.required("DIRECTORY_TABLE"),
            queue_url=queue_url,
            zone=zone,
            policy=PeriodPolicy(
                settings.choice("PERIOD_POLICY", tuple(PeriodPolicy), default=PeriodPolicy.PREVIOUS_MONTH)
            ),
            scope=cast(
                "GroupScope", settings.choice("GROUP_SCOPE", get_args(GroupScope), default="tenant-month")
            ),
            threads=settings.integer("SENDER_THREADS", low=1, high=16, default=4),
            page_size=settings.integer("PAGE_SIZE", low=1, high=5000, default=500),
        )


def message_builder(settings: Settings, dispatch: DispatchSettings) -> MessageBuilder:
    """The builder of the job's messages.

    Reads PAYLOAD_BUCKET (none) and PAYLOAD_THRESHOLD_BYTES (256 KiB); raises ConfigurationError naming the
    one that is wrong.
    """
    bucket = settings.optional("PAYLOAD_BUCKET")
    threshold = settings.integer("PAYLOAD_THRESHOLD_BYTES", low=1, high=BATCH_BYTES, default=262_144)
    large = LargePayloads(Payloads(aws.s3(), bucket), threshold) if bucket else None
    return MessageBuilder(dispatch.job, dispatch.scope, large)
