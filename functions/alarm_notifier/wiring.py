"""The notifier, put together from its environment."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from alarm_notifier.children import Alarms
from alarm_notifier.credentials import Keyring, Webhook, is_safe
from alarm_notifier.masking import Mask
from alarm_notifier.notifier import Notifier
from alarm_notifier.severity import Severity
from alarm_notifier.slack import IncomingWebhook, WebApi
from alarm_notifier.store import Store
from alarm_notifier.telling import Announcements, Conversation, Voice
from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.config import ConfigurationError, Settings
from job_runtime.observe import observer
from job_runtime.outside_http import OutsideApi
from job_runtime.quarantine import Quarantine
from job_runtime.visibility import Backoff, Visibility

_API: Final = "https://slack.com/api"
_PERSONAL: Final = "tenant_id,employee_id"


def build(settings: Settings, clock: Clock) -> Notifier:
    """The notifier of one container.

    Reads the variables of `observe.observer` and CHANNEL_TABLE, QUEUE_URL, DLQ_URL, ENVIRONMENT (how
    messages call it), SLACK_PARAMETER or SLACK_SECRET (where the credentials are), SLACK_API_URL (Slack's
    own), SLACK_CHANNEL_CRITICAL, …_WARNING and …_INFO (ids; needed with a bot's token), TOPIC_CRITICAL,
    …_WARNING and …_INFO (ARNs), PERSONAL_KEYS (tenant_id,employee_id), QUIET_SECONDS (900) and
    LEASE_SECONDS (90; longer than the function's timeout). Raises ConfigurationError naming the variable
    that is missing or wrong.
    """
    observing = observer(settings)
    queue = settings.url("QUEUE_URL")
    keyring = Keyring(_secret(settings), clock)
    return Notifier(
        store=Store(
            aws.dynamodb(),
            settings.required("CHANNEL_TABLE"),
            clock,
            timedelta(seconds=settings.integer("LEASE_SECONDS", low=2, high=960, default=90)),
        ),
        alarms=Alarms(aws.cloudwatch(), observing.logger),
        voice=_voice(settings, keyring),
        forget=keyring.forget,
        sqs=aws.sqs(),
        queue_url=queue,
        quarantine=Quarantine(aws.sqs(), settings.url("DLQ_URL")),
        visibility=Visibility(aws.sqs(), queue, observing.logger),
        backoff=Backoff(),
        topics={
            arn: severity for severity in Severity if (arn := settings.optional(f"TOPIC_{severity.upper()}"))
        },
        mask=Mask(
            name.strip()
            for name in (settings.optional("PERSONAL_KEYS") or _PERSONAL).split(",")
            if name.strip()
        ),
        own_log_group=settings.optional("AWS_LAMBDA_LOG_GROUP_NAME") or "",
        quiet=timedelta(seconds=settings.integer("QUIET_SECONDS", low=1, high=900, default=900)),
        observer=observing,
        clock=clock,
    )


def _secret(settings: Settings) -> Callable[[], str]:
    """What reads the secret's text."""
    parameter, secret = settings.optional("SLACK_PARAMETER"), settings.optional("SLACK_SECRET")
    if (parameter is None) == (secret is None):
        raise ConfigurationError(
            "SLACK_PARAMETER, SLACK_SECRET: exactly one must be set; name where Slack's secret is"
        )

    def read() -> str:
        if parameter is not None:
            return aws.ssm().get_parameter(Name=parameter, WithDecryption=True)["Parameter"]["Value"]
        return aws.secretsmanager().get_secret_value(SecretId=str(secret))["SecretString"]

    return read


def _voice(settings: Settings, keyring: Keyring) -> Callable[[], Voice]:
    environment = settings.required("ENVIRONMENT")
    address = settings.url("SLACK_API_URL", required=False) or _API
    if not is_safe(address):
        raise ConfigurationError(
            "SLACK_API_URL must be https: the token goes there; leave it out for Slack's own"
        )
    names = {severity: f"SLACK_CHANNEL_{severity.upper()}" for severity in Severity}
    channels = {severity: channel for severity, name in names.items() if (channel := settings.optional(name))}

    def speak() -> Voice:
        credentials = keyring.get()
        if isinstance(credentials, Webhook):
            return Announcements(IncomingWebhook(OutsideApi("slack", credentials.url)), environment)
        missing = [name for severity, name in names.items() if severity not in channels]
        if missing:
            raise ConfigurationError(
                f"{missing[0]} is not set: a bot's token needs a channel for each severity"
            )
        return Conversation(WebApi(OutsideApi("slack", address), credentials.token), channels, environment)

    return speak
