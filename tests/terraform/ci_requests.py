"""Requests of CI's roles and of the environment's roles, by a name for what they are after.

A request is one check for each resource that AWS asks about: an alias and its keys, CreateKey and the
tagging that goes with it.
"""

from __future__ import annotations

from tests.support.policies import Check, Context

ACCOUNT, REGION = "111122223333", "ap-northeast-1"
STATES = f"arn:aws:s3:::tfstate-fanout-{ACCOUNT}"
FOREIGN_KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/00000000-0000-0000-0000-000000000000"
BOUNDARY = f"arn:aws:iam::{ACCOUNT}:policy/fanout-boundary"
TAGS = {"aws:RequestTag/project": "fanout-once", "aws:RequestTag/environment": "prod"}
OURS: Context = {**TAGS, "aws:TagKeys": ["project", "environment"]}
MARKED: Context = {"aws:ResourceTag/project": "fanout-once", "aws:ResourceTag/environment": "prod"}


def arn(service: str, rest: str, *, region: str = REGION) -> str:
    """The ARN of something in the account."""
    return f"arn:aws:{service}:{region}:{ACCOUNT}:{rest}"


def role(name: str) -> str:
    """The ARN of a role in the account."""
    return arn("iam", f"role/{name}", region="")


def via(service: str) -> dict[str, str]:
    """The condition key of a request that a service makes for its caller."""
    return {"kms:ViaService": f"{service}.{REGION}.amazonaws.com"}


def on_key(action: str, key: str, context: Context | None = None) -> Check:
    """A check of a KMS action on a key: an ARN, or `data key` or `state key`."""
    return Check(f"kms:{action}", key, context or {})


def on_role(action: str, name: str, **context: str) -> Check:
    """A check of an IAM action on a role, by condition keys of IAM (`PassedToService`)."""
    return Check(f"iam:{action}", role(name), {f"iam:{key}": value for key, value in context.items()})


ALIAS = arn("kms", "alias/fanout-prod-alerts")
DATA_ALIAS, FOREIGN_ALIAS = arn("kms", "alias/fanout-data"), arn("kms", "alias/payroll")
BOUNDED = {"PermissionsBoundary": BOUNDARY}
UNBOUNDED = {"PermissionsBoundary": arn("iam", "policy/other", region="")}
FUNCTION_ROLE, FOREIGN_ROLE = "fanout-prod-charge-consumer-ap-northeast-1", "payroll-worker"

# What ends in control over a key, role or data that is not the environment's, by a name for the attempt.
FORBIDDEN: dict[str, tuple[Check, ...]] = {
    # Keys of the account: a tag gives nobody anything, whoever wrote it.
    "own a foreign key by a tag: policy": (on_key("PutKeyPolicy", FOREIGN_KEY, MARKED),),
    "own a foreign key by a tag: deletion": (on_key("ScheduleKeyDeletion", FOREIGN_KEY, MARKED),),
    "own a foreign key by a tag: rotation": (on_key("DisableKeyRotation", FOREIGN_KEY, MARKED),),
    "own a foreign key by a tag: untag": (on_key("UntagResource", FOREIGN_KEY, MARKED),),
    "own a foreign key by a tag: read": (on_key("GetKeyPolicy", FOREIGN_KEY, MARKED),),
    "own a foreign key by a tag: grant": (on_key("CreateGrant", FOREIGN_KEY, MARKED),),
    "own a foreign key by a tag: decrypt": (on_key("Decrypt", FOREIGN_KEY, MARKED),),
    "tag a key of another project": (
        on_key("TagResource", FOREIGN_KEY, {**OURS, "aws:ResourceTag/project": "payroll"}),
    ),
    "tag for another environment": (
        on_key("TagResource", FOREIGN_KEY, {**OURS, "aws:RequestTag/environment": "dev"}),
    ),
    "tag with one more tag": (
        on_key("TagResource", FOREIGN_KEY, {**OURS, "aws:TagKeys": ["project", "environment", "team"]}),
    ),
    "tag without tags": (on_key("TagResource", FOREIGN_KEY),),
    "tag with keys alone": (on_key("TagResource", FOREIGN_KEY, {"aws:TagKeys": ["project"]}),),
    "make a key without tags": (on_key("CreateKey", "*"),),
    "replicate a key": (on_key("ReplicateKey", FOREIGN_KEY),),
    "grant a foreign key as a service": (
        on_key("CreateGrant", FOREIGN_KEY, {"kms:GrantIsForAWSResource": "true", **via("dynamodb")}),
    ),
    # The data key, which this role uses.
    "grant the data key to anyone": (on_key("CreateGrant", "data key"),),
    "grant the data key, said to be no service's": (
        on_key("CreateGrant", "data key", {"kms:GrantIsForAWSResource": "false", **via("dynamodb")}),
    ),
    "grant the data key by a service of its own choice": (
        on_key("CreateGrant", "data key", {"kms:GrantIsForAWSResource": "true", **via("ec2")}),
    ),
    "grant the data key without a service": (
        on_key("CreateGrant", "data key", {"kms:GrantIsForAWSResource": "true"}),
    ),
    "decrypt with the data key directly": (on_key("Decrypt", "data key"),),
    "decrypt the queues' messages": (on_key("Decrypt", "data key", via("sqs")),),
    "open the data key's policy": (on_key("PutKeyPolicy", "data key", MARKED),),
    "delete the data key": (on_key("ScheduleKeyDeletion", "data key", MARKED),),
    "disable the data key": (on_key("DisableKey", "data key", MARKED),),
    "end the data key's grants": (on_key("RevokeGrant", "data key", MARKED),),
    "tag the data key": (on_key("TagResource", "data key", OURS),),
    "open the state key's policy": (on_key("PutKeyPolicy", "state key", MARKED),),
    "delete the state key": (on_key("ScheduleKeyDeletion", "state key", MARKED),),
    "decrypt states beside S3": (on_key("Decrypt", "state key"),),
    # Aliases: KMS asks about the alias and about each key.
    "name a foreign key as one's own": (
        Check("kms:CreateAlias", ALIAS),
        on_key("CreateAlias", FOREIGN_KEY, MARKED),
    ),
    "point one's own alias to a foreign key": (
        Check("kms:UpdateAlias", ALIAS),
        on_key("UpdateAlias", FOREIGN_KEY, MARKED),
    ),
    "point the data key's alias elsewhere": (
        Check("kms:UpdateAlias", DATA_ALIAS),
        on_key("UpdateAlias", "data key"),
    ),
    "take the data key's alias": (Check("kms:DeleteAlias", DATA_ALIAS), on_key("DeleteAlias", "data key")),
    "take a foreign alias": (Check("kms:DeleteAlias", FOREIGN_ALIAS),),
    "name the data key anew": (Check("kms:CreateAlias", ALIAS), on_key("CreateAlias", "data key")),
    # Roles.
    "make a role without a boundary": (on_role("CreateRole", FUNCTION_ROLE),),
    "make a role with another boundary": (on_role("CreateRole", FUNCTION_ROLE, **UNBOUNDED),),
    "make a role of another name": (on_role("CreateRole", FOREIGN_ROLE, **BOUNDED),),
    "make a role of another environment": (on_role("CreateRole", "fanout-dev-charge-consumer", **BOUNDED),),
    "drop a boundary": (on_role("DeleteRolePermissionsBoundary", FUNCTION_ROLE, **BOUNDED),),
    "change a boundary": (on_role("PutRolePermissionsBoundary", FUNCTION_ROLE, **UNBOUNDED),),
    "write a policy of a role without a boundary": (on_role("PutRolePolicy", FUNCTION_ROLE),),
    "attach a managed policy": (on_role("AttachRolePolicy", FUNCTION_ROLE, **BOUNDED),),
    "write the boundary anew": (Check("iam:CreatePolicyVersion", BOUNDARY),),
    "choose a former boundary": (Check("iam:SetDefaultPolicyVersion", BOUNDARY),),
    "delete the boundary": (Check("iam:DeletePolicy", BOUNDARY),),
    "make a managed policy": (Check("iam:CreatePolicy", arn("iam", "policy/fanout-prod-x", region="")),),
    "pass a role to a machine": (on_role("PassRole", FUNCTION_ROLE, PassedToService="ec2.amazonaws.com"),),
    "pass a foreign role": (on_role("PassRole", FOREIGN_ROLE, PassedToService="lambda.amazonaws.com"),),
    "pass CI's role": (on_role("PassRole", "ci-fanout-apply", PassedToService="lambda.amazonaws.com"),),
    "take a foreign role over": (on_role("UpdateAssumeRolePolicy", FOREIGN_ROLE),),
    "take an administrator's role over": (on_role("UpdateAssumeRolePolicy", "fanout-admin"),),
    "open CI's own trust": (on_role("UpdateAssumeRolePolicy", "ci-fanout-apply"),),
    "widen CI's own policy": (on_role("PutRolePolicy", "ci-fanout-apply", **BOUNDED),),
    "widen the plan role's policy": (on_role("PutRolePolicy", "ci-fanout-plan", **BOUNDED),),
    "take another role": (Check("sts:AssumeRole", role(FUNCTION_ROLE)),),
    "make a user": (Check("iam:CreateUser", arn("iam", "user/fanout-prod-x", region="")),),
    "make a user's key": (Check("iam:CreateAccessKey", arn("iam", "user/x", region="")),),
    "trust another provider": (
        Check("iam:CreateOpenIDConnectProvider", arn("iam", "oidc-provider/x", region="")),
    ),
    # Data.
    "read a table": (Check("dynamodb:GetItem", arn("dynamodb", "table/fanout-prod-jobs")),),
    "take a message": (Check("sqs:ReceiveMessage", arn("sqs", "fanout-prod-charge.fifo")),),
    "read the credential": (Check("ssm:GetParameter", arn("ssm", "parameter/fanout-prod/slack")),),
    "change a foreign table": (Check("dynamodb:UpdateTable", arn("dynamodb", "table/payroll")),),
    "change another environment's table": (
        Check("dynamodb:UpdateTable", arn("dynamodb", "table/fanout-dev-jobs")),
    ),
    "change a foreign function": (Check("lambda:UpdateFunctionCode", arn("lambda", "function:payroll")),),
    "poll for a foreign function": (
        Check(
            "lambda:CreateEventSourceMapping", "*", {"lambda:FunctionArn": arn("lambda", "function:payroll")}
        ),
    ),
    "poll for nobody": (Check("lambda:CreateEventSourceMapping", "*"),),
    "listen to a foreign log": (
        Check("logs:PutSubscriptionFilter", arn("logs", "log-group:/aws/lambda/payroll:*")),
    ),
    # States.
    "delete the bucket of states": (Check("s3:DeleteBucket", STATES),),
    "open the bucket of states": (Check("s3:PutBucketPolicy", STATES),),
    "end the versions of states": (Check("s3:PutBucketVersioning", STATES),),
    "delete a former state": (Check("s3:DeleteObjectVersion", f"{STATES}/prod/terraform.tfstate"),),
    "write another environment's state": (Check("s3:PutObject", f"{STATES}/dev/terraform.tfstate"),),
    "read another environment's state": (Check("s3:GetObject", f"{STATES}/dev/terraform.tfstate"),),
}

# What an apply of the environment asks for.
NEEDED: dict[str, tuple[Check, ...]] = {
    "make a key with its tags": (on_key("CreateKey", "*", OURS), on_key("TagResource", FOREIGN_KEY, OURS)),
    # Whether KMS already sees the new key's tags when it asks is not documented: both ways have to pass.
    "make a key whose tags are seen": (on_key("TagResource", FOREIGN_KEY, {**OURS, **MARKED}),),
    "name a key whose policy allows it": (Check("kms:CreateAlias", ALIAS),),
    "encrypt a table": (
        *(
            on_key(action, "data key", via("dynamodb"))
            for action in (
                "Decrypt",
                "DescribeKey",
                "Encrypt",
                "GenerateDataKey",
                "ReEncryptFrom",
                "ReEncryptTo",
            )
        ),
        on_key("CreateGrant", "data key", {"kms:GrantIsForAWSResource": "true", **via("dynamodb")}),
    ),
    "encrypt a function's environment": (
        on_key("Encrypt", "data key", via("lambda")),
        on_key("Decrypt", "data key", via("lambda")),
        on_key("CreateGrant", "data key", {"kms:GrantIsForAWSResource": "true", **via("lambda")}),
    ),
    "encrypt a schedule": (
        on_key("DescribeKey", "data key", via("scheduler")),
        on_key("GenerateDataKey", "data key", via("scheduler")),
        on_key("Decrypt", "data key", via("scheduler")),
    ),
    "make a role": (on_role("CreateRole", FUNCTION_ROLE, **BOUNDED),),
    "write a role's policy": (on_role("PutRolePolicy", FUNCTION_ROLE, **BOUNDED),),
    "hand a role to a function": (
        on_role("PassRole", FUNCTION_ROLE, PassedToService="lambda.amazonaws.com"),
    ),
    "write the state": (
        Check("s3:PutObject", f"{STATES}/prod/terraform.tfstate"),
        on_key("GenerateDataKey", "state key", via("s3")),
    ),
    "change a table": (Check("dynamodb:UpdateTable", arn("dynamodb", "table/fanout-prod-jobs")),),
    "poll": (
        Check(
            "lambda:CreateEventSourceMapping",
            "*",
            {"lambda:FunctionArn": arn("lambda", "function:fanout-prod-charge-consumer")},
        ),
    ),
}
READS: dict[str, tuple[Check, ...]] = {
    "read the state": (
        Check("s3:GetObject", f"{STATES}/prod/terraform.tfstate"),
        on_key("Decrypt", "state key", via("s3")),
    ),
    "read a function's environment": (
        Check("lambda:GetFunction", arn("lambda", "function:fanout-prod-charge-consumer")),
        on_key("Decrypt", "data key", via("lambda")),
    ),
    "read a schedule": (
        Check("scheduler:GetSchedule", arn("scheduler", "schedule/fanout-prod-charge/dispatch")),
        on_key("Decrypt", "data key", via("scheduler")),
    ),
}


# What no role of the environment may do, though its own policy allowed everything.
OUT_OF_BOUNDS: dict[str, Check] = {
    "read another environment's table": Check("dynamodb:GetItem", arn("dynamodb", "table/fanout-dev-jobs")),
    "read a foreign table": Check("dynamodb:GetItem", arn("dynamodb", "table/payroll")),
    "delete its own table": Check("dynamodb:DeleteTable", arn("dynamodb", "table/fanout-prod-jobs")),
    "take a foreign message": Check("sqs:ReceiveMessage", arn("sqs", "payroll")),
    "purge its own queue": Check("sqs:PurgeQueue", arn("sqs", "fanout-prod-charge.fifo")),
    "invoke a foreign function": Check("lambda:InvokeFunction", arn("lambda", "function:payroll")),
    "change its own function": Check(
        "lambda:UpdateFunctionCode", arn("lambda", "function:fanout-prod-charge-consumer")
    ),
    "read a foreign bucket": Check(
        "s3:GetObject", "arn:aws:s3:::payroll/x", {"aws:ResourceAccount": ACCOUNT}
    ),
    "write to a bucket of that name in another account": Check(
        "s3:PutObject", "arn:aws:s3:::fanout-prod-payloads/x", {"aws:ResourceAccount": "999988887777"}
    ),
    "read the state": Check(
        "s3:GetObject", f"{STATES}/prod/terraform.tfstate", {"aws:ResourceAccount": ACCOUNT}
    ),
    "decrypt with the data key directly": on_key("Decrypt", "data key"),
    "decrypt another's function": on_key(
        "Decrypt",
        "data key",
        {"kms:EncryptionContext:aws:lambda:FunctionArn": arn("lambda", "function:payroll")},
    ),
    "grant the data key": on_key(
        "CreateGrant", "data key", {"kms:GrantIsForAWSResource": "true", **via("dynamodb")}
    ),
    "decrypt with a foreign key": on_key("Decrypt", FOREIGN_KEY),
    "decrypt foreign messages": on_key("Decrypt", FOREIGN_KEY, via("sqs")),
    "decrypt states": on_key("Decrypt", "state key", via("s3")),
    "read a foreign parameter": Check("ssm:GetParameter", arn("ssm", "parameter/payroll/slack")),
    "read a parameter of a like name": Check("ssm:GetParameter", arn("ssm", "parameter/fanout-production/x")),
    "read a foreign secret": Check(
        "secretsmanager:GetSecretValue", arn("secretsmanager", "secret:payroll-a1b2c3")
    ),
    "take a role": Check("sts:AssumeRole", role("payroll-worker")),
    "write a role's policy": on_role("PutRolePolicy", FUNCTION_ROLE, **BOUNDED),
    "publish alerts": Check("sns:Publish", arn("sns", "fanout-prod-alerts-critical")),
    "change an alarm": Check("cloudwatch:DeleteAlarms", arn("cloudwatch", "alarm:fanout-prod-x")),
}
