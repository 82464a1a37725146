"""STS: what it asks of a web identity's token before it looks at a role's trust, which MiniStack leaves out.

The account has the token's issuer as a provider, that provider has the token's audience among its clients,
the token has not expired, and the session is not longer than the role allows. Who signed it is not checked.
"""

from __future__ import annotations

import time
from functools import wraps
from typing import Any

from ministack.services import cognito, sts
from ministack.services import iam as iam_service

from local.emulator.server.replacing import replace


def _refusal(role_arn: str, token: str, seconds: int) -> tuple[str, str] | None:
    """The code and message with which STS refuses; None when it goes on to the role's trust."""
    try:
        claims = cognito._decode_id_token_unverified(token)
        issuer, audience, ends = str(claims["iss"]), claims["aud"], float(claims["exp"])
    except (ValueError, TypeError, KeyError):
        return "InvalidIdentityToken", "The token is no JWT with the claims iss, aud and exp"
    partition, account, role_name = (
        role_arn.split(":")[1],
        role_arn.split(":")[4],
        role_arn.rpartition("/")[2],
    )
    provider_arn = f"arn:{partition}:iam::{account}:oidc-provider/{issuer.partition('://')[2].rstrip('/')}"
    provider = iam_service._oidc_providers.get_scoped(account, None, provider_arn)
    if provider is None:
        return "InvalidIdentityToken", f"No OpenIDConnect provider found in your account for {issuer}"
    if audience not in provider["ClientIDList"]:
        return "InvalidIdentityToken", "Incorrect token audience"
    if ends < time.time():
        return "ExpiredTokenException", "Token expired"
    role = iam_service._roles.get_scoped(account, None, role_name) or {}
    if seconds > int(role.get("MaxSessionDuration", 3600)):
        return (
            "ValidationError",
            "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
        )
    return None


def _strict(denied: Any) -> Any:
    @wraps(denied)
    def check(role_arn: str, params: dict[str, Any], use_json: bool) -> Any:
        refusal = _refusal(
            role_arn, sts._p(params, "WebIdentityToken"), int(sts._p(params, "DurationSeconds") or 3600)
        )
        if refusal:
            return sts._error(400, *refusal, ns="sts")
        return denied(role_arn, params, use_json)

    return check


def install() -> None:
    """Patch MiniStack's STS in this process."""
    replace(sts, "_web_identity_trust_denied", _strict)
