"""Environment variables, read once at cold start and typed. A wrong one stops the function by name."""

import re
from collections.abc import Mapping
from typing import overload
from urllib.parse import urlsplit

_WHOLE = re.compile("-?[0-9]{1,18}")


class ConfigurationError(Exception):
    """An environment variable is missing or wrong; the text names it, its rule and what to write."""


class Settings:
    """Typed reading of an environment.

    Every method raises `ConfigurationError` naming the variable, its rule and what to write; the value itself
    is never repeated, since a variable may hold a secret. A variable that is empty counts as not set.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """`environment`: usually `os.environ`."""
        self._environment = environment

    def optional(self, name: str) -> str | None:
        """The text of `name`, stripped of surrounding blanks, or None when it is not set."""
        return self._environment.get(name, "").strip() or None

    def required(self, name: str) -> str:
        """The text of `name`."""
        value = self.optional(name)
        if value is None:
            raise ConfigurationError(f"{name} is not set: it is required; set it on the function")
        return value

    def integer(self, name: str, *, low: int, high: int, default: int) -> int:
        """A whole number within `low` and `high`, both included."""
        value = self.optional(name)
        if value is None:
            return default
        if not _WHOLE.fullmatch(value) or not low <= int(value) <= high:
            raise ConfigurationError(
                f"{name} must be a whole number from {low} to {high}; leave it out for {default}"
            )
        return int(value)

    def choice(self, name: str, options: tuple[str, ...], *, default: str | None = None) -> str:
        """One of `options`; required when there is no `default`."""
        value = self.required(name) if default is None else self.optional(name) or default
        if value not in options:
            raise ConfigurationError(f"{name} must be one of: {', '.join(options)}")
        return value

    @overload
    def url(self, name: str) -> str: ...
    @overload
    def url(self, name: str, *, required: bool) -> str | None: ...
    def url(self, name: str, *, required: bool = True) -> str | None:
        """An absolute http(s) address, without a trailing slash; None when it is optional and not set."""
        value = self.required(name) if required else self.optional(name)
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise ConfigurationError(
                f"{name} must be an absolute URL: write https://host/path, without query or fragment"
            )
        return value.rstrip("/")

    def forbid(self, name: str, reason: str) -> None:
        """Refuse to start while `name` is set to anything but a plain off."""
        value = self.optional(name)
        if value is not None and value.lower() not in {"0", "false", "off", "no", "n", "f"}:
            raise ConfigurationError(f"{name} must not be switched on: {reason}; remove it from the function")
