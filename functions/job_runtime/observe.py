"""Logs, metrics and traces through Powertools, set up once a container.

Nothing is ever appended to the logger: each line carries its own keys, so none can stay for the next record.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

from job_runtime.config import Settings

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageSystemAttributeValueTypeDef

NAMESPACE = "FanoutOnce"
_TRACE_HEADER = re.compile(r"Root=1-[0-9a-f]{8}-[0-9a-f]{24}(;[A-Za-z]+=[!-:<-~]{1,64})*", re.ASCII)


@dataclass(frozen=True)
class Observer:
    """The logger and the metrics of one function. `logger` and `metrics` are Powertools' own."""

    logger: Logger
    metrics: Metrics

    def count(self, counts: Mapping[str, int]) -> None:
        """Add a metric for each name whose count is not zero; unit Count, single dimension `service`."""
        for name, value in counts.items():
            if value:
                self.metrics.add_metric(name=name, unit="Count", value=value)

    @contextmanager
    def flushing(self) -> Iterator[None]:
        """Publish what was counted when the block ends, also when it ends with an error."""
        try:
            yield
        finally:
            if self.metrics.provider.metric_set:
                self.metrics.flush_metrics()


def observer(settings: Settings) -> Observer:
    """The observer of this function.

    Service from POWERTOOLS_SERVICE_NAME (by default JOB_NAME), namespace from POWERTOOLS_METRICS_NAMESPACE
    (by default FanoutOnce).

    Raises ConfigurationError when POWERTOOLS_LOGGER_LOG_EVENT is on: it writes message bodies to the log.
    """
    settings.forbid(
        "POWERTOOLS_LOGGER_LOG_EVENT", "it would write message bodies, with personal data, to the log"
    )
    service = settings.optional("POWERTOOLS_SERVICE_NAME") or settings.required("JOB_NAME")
    namespace = settings.optional("POWERTOOLS_METRICS_NAMESPACE") or NAMESPACE
    return Observer(
        logger=Logger(service=service, utc=True, use_rfc3339=True),
        metrics=Metrics(service=service, namespace=namespace),
    )


def trace_header(environment: Mapping[str, str] = os.environ) -> str | None:
    """The X-Ray header of the running invocation, to send as AWSTraceHeader; None without one."""
    header = environment.get("_X_AMZN_TRACE_ID", "")
    return header if _TRACE_HEADER.fullmatch(header) else None


def trace_attributes(
    header: str | None,
) -> "dict[Literal['AWSTraceHeader'], MessageSystemAttributeValueTypeDef]":
    """MessageSystemAttributes that carry `header` across a queue; empty without one."""
    return {"AWSTraceHeader": {"DataType": "String", "StringValue": header}} if header else {}
