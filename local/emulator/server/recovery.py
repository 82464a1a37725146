"""DynamoDB: how many days back a table can be restored, which MiniStack forgets."""

from __future__ import annotations

import json
from functools import wraps
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import dynamodb

from local.emulator.server.replacing import replace

_DEFAULT_DAYS = 35
_days: dict[tuple[str, str, str], int] = {}


def _table(data: dict[str, Any]) -> tuple[str, str, str]:
    return get_account_id(), get_region(), str(dynamodb._normalize_table_name(data.get("TableName")))


def _keeping(update: Any) -> Any:
    @wraps(update)
    def keep(data: dict[str, Any]) -> Any:
        answer = update(data)
        asked = data.get("PointInTimeRecoverySpecification", {})
        _days[_table(data)] = int(asked.get("RecoveryPeriodInDays", _DEFAULT_DAYS))
        return answer

    return keep


def _telling(describe: Any) -> Any:
    @wraps(describe)
    def tell(data: dict[str, Any]) -> Any:
        status, headers, body = describe(data)
        document = json.loads(body)
        recovery = document.get("ContinuousBackupsDescription", {}).get("PointInTimeRecoveryDescription", {})
        if recovery.get("PointInTimeRecoveryStatus") == "ENABLED":
            recovery["RecoveryPeriodInDays"] = _days.get(_table(data), _DEFAULT_DAYS)
        return status, headers, json.dumps(document).encode()

    return tell


def install() -> None:
    """Patch MiniStack's continuous backups in this process."""
    replace(dynamodb, "_update_continuous_backups", _keeping)
    replace(dynamodb, "_describe_continuous_backups", _telling)
