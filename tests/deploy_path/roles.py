"""CI's roles, taken as the workflow takes them: with GitHub's token for a job, from STS."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass

from local.emulator import Emulator

ISSUER = "https://token.actions.githubusercontent.com"
AUDIENCE = "sts.amazonaws.com"


@dataclass(frozen=True)
class Keys:
    """Temporary keys of a role."""

    access_key: str
    secret_key: str
    token: str

    @property
    def environment(self) -> dict[str, str]:
        """What `.github/oidc.sh` writes for the steps that follow."""
        return {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_SESSION_TOKEN": self.token,
        }

    @property
    def arguments(self) -> dict[str, str]:
        """For a boto3 client."""
        return {
            "aws_access_key_id": self.access_key,
            "aws_secret_access_key": self.secret_key,
            "aws_session_token": self.token,
        }


def token(subject: str, *, audience: str = AUDIENCE, issuer: str = ISSUER, lives: float = 300) -> str:
    """A token such as GitHub gives to a job; signed by nobody, which the local AWS cannot check."""
    claims = {"iss": issuer, "aud": audience, "sub": subject, "exp": int(time.time() + lives)}
    parts = [json.dumps(part).encode() for part in ({"alg": "RS256", "typ": "JWT"}, claims)] + [b"unsigned"]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def taken(aws: Emulator, role_arn: str, web_identity: str, seconds: int = 3600) -> Keys:
    """The keys of a role for a token. Raises ClientError when STS refuses."""
    given = aws.client("sts").assume_role_with_web_identity(
        RoleArn=role_arn,
        RoleSessionName="github-1-1",
        WebIdentityToken=web_identity,
        DurationSeconds=seconds,
    )["Credentials"]
    return Keys(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])
