"""Environment variables: a wrong one is named, with its rule and what to write, and never repeated."""

import pytest

from job_runtime.config import ConfigurationError, Settings


def test_a_required_variable_that_is_missing_or_blank_is_named() -> None:
    for environment in ({}, {"JOB_TABLE": ""}, {"JOB_TABLE": "  "}):
        with pytest.raises(ConfigurationError, match=r"^JOB_TABLE is not set"):
            Settings(environment).required("JOB_TABLE")


def test_a_variable_is_read_without_surrounding_blanks() -> None:
    settings = Settings({"JOB_TABLE": " job \n", "EMPTY": " "})
    assert settings.required("JOB_TABLE") == "job"
    assert settings.optional("EMPTY") is None


@pytest.mark.parametrize("text", ["0", "101", "-1", "1.0", "1e1", "five", "\u0665", "--5", "nan"])
def test_a_number_outside_its_range_or_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^MAX_ATTEMPTS must be a whole number from 1 to 100"):
        Settings({"MAX_ATTEMPTS": text}).integer("MAX_ATTEMPTS", low=1, high=100, default=5)


@pytest.mark.parametrize(("text", "number"), [("1", 1), ("100", 100), ("", 5)])
def test_a_number_in_range_is_read_and_an_empty_one_is_the_default(text: str, number: int) -> None:
    assert Settings({"N": text}).integer("N", low=1, high=100, default=5) == number


def test_a_negative_number_is_read_where_the_range_has_one() -> None:
    assert Settings({"N": "-3"}).integer("N", low=-5, high=5, default=0) == -3


def test_a_choice_is_one_of_its_options() -> None:
    options = ("continue", "halt-group")
    assert Settings({}).choice("ON_QUARANTINE", options, default="continue") == "continue"
    assert Settings({"ON_QUARANTINE": "halt-group"}).choice("ON_QUARANTINE", options) == "halt-group"
    with pytest.raises(ConfigurationError, match=r"^ON_QUARANTINE must be one of: continue, halt-group$"):
        Settings({"ON_QUARANTINE": "halt"}).choice("ON_QUARANTINE", options, default="continue")
    with pytest.raises(ConfigurationError, match=r"^ON_QUARANTINE is not set"):
        Settings({}).choice("ON_QUARANTINE", options)


@pytest.mark.parametrize(
    "text", ["queue", "ftp://host/q", "https://", "//host/q", "https://h/q?a=1", "https://h/q#a"]
)
def test_what_is_no_absolute_address_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^QUEUE_URL must be an absolute URL"):
        Settings({"QUEUE_URL": text}).url("QUEUE_URL")


def test_an_address_is_read_without_its_trailing_slash() -> None:
    assert Settings({"U": "http://127.0.0.1:4566/1/q/"}).url("U") == "http://127.0.0.1:4566/1/q"
    assert Settings({"U": "https://host/X"}).url("U") == "https://host/X"
    assert Settings({}).url("U", required=False) is None
    with pytest.raises(ConfigurationError, match=r"^U is not set"):
        Settings({}).url("U")


@pytest.mark.parametrize("text", ["true", "1", "Yes", "on", "anything"])
def test_a_forbidden_switch_stops_the_start(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^SWITCH must not be switched on: it leaks; remove it"):
        Settings({"SWITCH": text}).forbid("SWITCH", "it leaks")


@pytest.mark.parametrize("text", ["", "0", "false", "OFF", "no", "n", "f"])
def test_a_forbidden_switch_that_is_off_does_no_harm(text: str) -> None:
    Settings({"SWITCH": text}).forbid("SWITCH", "it leaks")


def test_no_error_repeats_the_value() -> None:
    secret = "hunter2"
    settings = Settings({"V": secret})
    for read in (
        lambda: settings.integer("V", low=1, high=2, default=1),
        lambda: settings.choice("V", ("a",)),
        lambda: settings.url("V"),
        lambda: settings.forbid("V", "reason"),
    ):
        with pytest.raises(ConfigurationError) as refused:
            read()
        assert secret not in str(refused.value)
