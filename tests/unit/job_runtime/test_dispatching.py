"""The settings of dispatcher and auditor."""

from zoneinfo import ZoneInfo

import pytest

from job_runtime.config import ConfigurationError, Settings
from job_runtime.dispatching import DispatchSettings, message_builder
from job_runtime.period import PeriodPolicy

GOOD = {
    "JOB_NAME": "co2",
    "JOB_TABLE": "job",
    "DIRECTORY_TABLE": "directory",
    "QUEUE_URL": "https://sqs.ap-northeast-1.amazonaws.com/111122223333/co2.fifo",
    "TIMEZONE": "Asia/Tokyo",
}


def test_what_may_be_left_out_has_its_default() -> None:
    assert DispatchSettings.read(Settings(GOOD)) == DispatchSettings(
        job="co2",
        job_table="job",
        directory_table="directory",
        queue_url=GOOD["QUEUE_URL"],
        zone=ZoneInfo("Asia/Tokyo"),
        policy=PeriodPolicy.PREVIOUS_MONTH,
        scope="tenant-month",
        threads=4,
        page_size=500,
    )


def test_everything_can_be_said() -> None:
    more = {
        "PERIOD_POLICY": "current-month",
        "GROUP_SCOPE": "wallet",
        "SENDER_THREADS": "16",
        "PAGE_SIZE": "1",
    }
    settings = DispatchSettings.read(Settings({**GOOD, **more}))
    assert (settings.policy, settings.scope, settings.threads, settings.page_size) == (
        PeriodPolicy.CURRENT_MONTH,
        "wallet",
        16,
        1,
    )


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_missing_variable_is_named(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} is not set"):
        DispatchSettings.read(Settings({key: value for key, value in GOOD.items() if key != name}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JOB_NAME", "bonus"),
        ("QUEUE_URL", "co2.fifo"),
        ("QUEUE_URL", "https://sqs.ap-northeast-1.amazonaws.com/111122223333/co2"),
        ("TIMEZONE", "JST"),
        ("PERIOD_POLICY", "next-month"),
        ("GROUP_SCOPE", "tenant"),
        ("SENDER_THREADS", "0"),
        ("SENDER_THREADS", "17"),
        ("SENDER_THREADS", "four"),
        ("PAGE_SIZE", "0"),
        ("PAGE_SIZE", "5001"),
    ],
)
def test_a_wrong_variable_is_named_and_its_value_not_repeated(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} must be") as wrong:
        DispatchSettings.read(Settings({**GOOD, name: value}))
    assert f"{value!r}" not in str(wrong.value)


@pytest.mark.parametrize("value", ["0", "1048577", "much"])
def test_a_threshold_that_no_message_may_reach_is_refused(mocked_aws: None, value: str) -> None:
    settings = Settings({**GOOD, "PAYLOAD_BUCKET": "payloads", "PAYLOAD_THRESHOLD_BYTES": value})
    with pytest.raises(ConfigurationError, match=r"^PAYLOAD_THRESHOLD_BYTES must be"):
        message_builder(settings, DispatchSettings.read(settings))
