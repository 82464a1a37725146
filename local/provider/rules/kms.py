"""KMS: keys and aliases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local.provider.engine.rules import (
    ConflictsWith,
    Json,
    Length,
    OneOf,
    Pattern,
    Range,
    RequiredWith,
    Table,
)
from local.provider.engine.validation import PlanRule

_ALIAS = Pattern(
    r"alias/(?!aws/)[a-zA-Z0-9/_-]+",
    "begin with alias/, not with alias/aws/, and have letters, digits and /_-",
)

VALIDATED: Mapping[str, Table] = {
    "aws_kms_alias": {
        "name": (ConflictsWith("name_prefix"), _ALIAS),
        "name_prefix": (ConflictsWith("name"), _ALIAS),
    },
    "aws_kms_key": {
        "custom_key_store_id": Length(1, 22),
        "customer_master_key_spec": OneOf(
            "ECC_NIST_EDWARDS25519",
            "ECC_NIST_P256",
            "ECC_NIST_P384",
            "ECC_NIST_P521",
            "ECC_SECG_P256K1",
            "HMAC_224",
            "HMAC_256",
            "HMAC_384",
            "HMAC_512",
            "ML_DSA_44",
            "ML_DSA_65",
            "ML_DSA_87",
            "RSA_2048",
            "RSA_3072",
            "RSA_4096",
            "SM2",
            "SYMMETRIC_DEFAULT",
        ),
        "deletion_window_in_days": Range(7, 30),
        "description": Length(0, 8192),
        "key_usage": OneOf("ENCRYPT_DECRYPT", "GENERATE_VERIFY_MAC", "KEY_AGREEMENT", "SIGN_VERIFY"),
        "policy": Json(),
        "rotation_period_in_days": (RequiredWith("enable_key_rotation"), Range(90, 2560)),
        "xks_key_id": (RequiredWith("custom_key_store_id"), Length(1, 128)),
    },
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
