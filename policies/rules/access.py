"""Rules about policies: who may do what, and what opens by mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from policies.plan import UNKNOWN, Plan, Resource, Statement, Undecided
from policies.plan.policy import Malformed, Principal
from policies.rules import links
from policies.rules.keys import key_admits
from policies.rules.rule import Open, Severity, rule
from policies.topology.failures import QUEUE, dead_letters_of_subscription
from policies.topology.permissions import (
    IDENTITY_POLICIES,
    KEY,
    RESOURCE_POLICIES,
    ROLE,
    TRUST_POLICIES,
    PolicyPlace,
    customer_key,
    may_use_key,
    named_by,
    names_action,
    policies_in,
    policies_of_role,
    policy_on,
    types_of,
)

# Conditions that tie a service's call to a source of one's own.
SOURCE_KEYS = ("aws:sourcearn", "aws:sourceaccount", "aws:sourceorgid", "aws:sourceorgpaths")
_ACCOUNT = re.compile(r"\d{12}")
# A service uses a key for this resource of its own only.
_ENCRYPTED_FOR = "kms:encryptioncontext:aws:"
# Services that hold roles of this account only: nobody else can have them act here.
_OWN_ACCOUNT_SERVICES = ("lambda.amazonaws.com", "ec2.amazonaws.com", "ecs-tasks.amazonaws.com")
# Conditions that limit who may act at all, whatever the principal.
LIMITING_KEYS = (
    *SOURCE_KEYS,
    "aws:principalorgid",
    "aws:principalorgpaths",
    "aws:principalaccount",
    "aws:principalarn",
    "aws:sourcevpce",
    "aws:sourcevpc",
    "aws:sourceip",
    "kms:calleraccount",
    "kms:viaservice",
    "sns:endpoint",
    "aws:sourceowner",
)
# Services whose actions name a resource; the wildcard grants more than is meant.
_NAMED_RESOURCES = (
    "sqs",
    "dynamodb",
    "sns",
    "s3",
    "lambda",
    "kms",
    "sts",
    "secretsmanager",
    "ssm",
    "events",
    "iam",
)
# What is about a service as a whole, for which the wildcard is the only resource there is.
_UNNAMED_ACTIONS = (
    "sqs:listqueues",
    "dynamodb:listtables",
    "dynamodb:describelimits",
    "sns:listtopics",
    "s3:listallmybuckets",
    "lambda:listfunctions",
    "lambda:listeventsourcemappings",
    "lambda:getaccountsettings",
    "lambda:createeventsourcemapping",
    "lambda:geteventsourcemapping",
    "kms:createkey",
    "kms:generaterandom",
    "kms:listkeys",
    "kms:listaliases",
    "sts:getcalleridentity",
    "secretsmanager:getrandompassword",
    "secretsmanager:listsecrets",
    "ssm:describeparameters",
    "events:listrules",
    "iam:listroles",
)

# Conditions that say which resources, where the action's own names none.
_ABOUT_RESOURCES = ("aws:resourcetag/", "lambda:functionarn", "kms:viaservice", "kms:encryptioncontext")

SERVICE_SENDERS = (
    "aws_sns_topic_subscription",
    "aws_cloudwatch_event_target",
    "aws_s3_bucket_notification",
)
ALL_POLICIES = (*RESOURCE_POLICIES, *TRUST_POLICIES, *IDENTITY_POLICIES)
ALL_HOLDERS = tuple(dict.fromkeys(types_of(ALL_POLICIES)))
WITH_PRINCIPALS = (*RESOURCE_POLICIES, *TRUST_POLICIES)


Ask: TypeAlias = Callable[[Resource, Statement], Iterator[str | Open]]


def _each_grant(
    holder: Resource, plan: Plan, places: Sequence[PolicyPlace], ask: Ask
) -> Iterator[str | Open]:
    """What `ask` says of each statement that allows, and what of the policies cannot be read."""
    for document in policies_in(holder, plan, places):
        for statement in document.statements:
            if statement.allows:
                yield from ask(holder, statement)
        for gap in document.gaps:
            yield Open(gap)


@rule(
    "FO201",
    Severity.HIGH,
    title="A queue refuses what does not come by TLS",
    why="SQS still answers plain HTTP; only the queue's own policy turns it away.",
    fix="""
statement {
  sid       = "DenyInsecureTransport"
  effect    = "Deny"
  actions   = ["sqs:*"]
  resources = [aws_sqs_queue.this.arn]
  principals {
    type        = "*"
    identifiers = ["*"]
  }
  condition {
    test     = "Bool"
    variable = "aws:SecureTransport"
    values   = ["false"]
  }
}
""",
    link=links.SQS_SECURITY,
    subjects=(QUEUE,),
)
def queue_refuses_plain_http(queue: Resource, plan: Plan) -> Iterator[str | Open]:
    grants = policy_on(queue, plan)
    if any(_denies_plain_http(statement) for statement in grants.statements):
        return
    if grants.gaps:
        raise Undecided(grants.gaps[0])
    if not grants.holders:
        yield (
            "it has no policy; write an aws_sqs_queue_policy that denies sqs:* where"
            " aws:SecureTransport is false"
        )
    else:
        yield (
            f"{grants.holders[0]} denies nothing to plain HTTP; add a Deny of sqs:* where"
            " aws:SecureTransport is false"
        )


def _denies_plain_http(statement: Statement) -> bool:
    everyone = any(principal.name == "*" for principal in statement.principals)
    plain = any(
        condition.operator == "bool" and "false" in condition.values
        for condition in statement.condition("aws:securetransport")
    )
    # A second condition would narrow the denial.
    return (
        statement.effect == "Deny"
        and everyone
        and plain
        and len(statement.conditions) == 1
        and any(action in ("*", "sqs:*") for action in statement.actions)
    )


@rule(
    "FO202",
    Severity.HIGH,
    title="A service may act for named sources only",
    why="A service principal stands for every customer of that service: without a condition on the"
    " source, any account"
    " can have the service send here in its name (the confused deputy).",
    fix="""
condition {
  test     = "ArnLike"
  variable = "aws:SourceArn"
  values   = [aws_cloudwatch_event_rule.this.arn]
}
""",
    link=links.IAM_DEPUTY,
    subjects=types_of((*RESOURCE_POLICIES, *TRUST_POLICIES)),
)
def services_act_for_named_sources(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    return _each_grant(holder, plan, WITH_PRINCIPALS, _untied_services)


def _untied_services(_holder: Resource, statement: Statement) -> Iterator[str | Open]:
    services = [name for name in statement.services() if name not in _OWN_ACCOUNT_SERVICES]
    if services and not _tied_to_source(statement):
        yield (
            f"{statement.label} lets {', '.join(services)} act for any account; add a condition on"
            " aws:SourceArn or"
            " aws:SourceAccount"
        )


def _tied_to_source(statement: Statement) -> bool:
    if any(condition.operator == "" for condition in statement.conditions):
        raise Undecided(f"the conditions of {statement.label} are known after the apply only")
    return any(
        not condition.operator.endswith("ifexists") and any(value != "*" for value in condition.values)
        for condition in statement.conditions
        if condition.key in SOURCE_KEYS or condition.key.startswith(_ENCRYPTED_FOR)
    )


@rule(
    "FO203",
    Severity.HIGH,
    title="Not everybody is let in",
    why='Allow with the principal "*" and no condition on who is calling lets the whole world in.',
    fix="""
principals {
  type        = "AWS"
  identifiers = [aws_iam_role.producer.arn] # or a condition on aws:PrincipalOrgID
}
""",
    link=links.IAM_PRINCIPAL,
    subjects=types_of((*RESOURCE_POLICIES, *TRUST_POLICIES)),
)
def not_everybody_is_let_in(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    return _each_grant(holder, plan, WITH_PRINCIPALS, _open_to_everybody)


def _open_to_everybody(_holder: Resource, statement: Statement) -> Iterator[str | Open]:
    limits = [c for c in statement.condition(*LIMITING_KEYS) if _limits(c.operator, c.values)]
    if any(_everyone(principal) for principal in statement.principals) and not limits:
        yield (
            f'{statement.label} allows the principal "*" without a condition on who is calling; name'
            " principals"
        )


def _everyone(principal: Principal) -> bool:
    return principal.name == "*" or (principal.kind == "AWS" and principal.name == "arn:aws:iam::*:root")


def _limits(operator: str, values: tuple[object, ...]) -> bool:
    return "not" not in operator and not operator.endswith("ifexists") and "*" not in values


@rule(
    "FO204",
    Severity.HIGH,
    title="Actions are named",
    why="An Allow of * or of all actions of a service grants deletion, policy changes and what the"
    " service will add"
    " tomorrow. Every statement counts, and so does a list of one.",
    fix="""
actions = ["sqs:SendMessage"]
""",
    link=links.IAM_PRACTICE,
    subjects=ALL_HOLDERS,
)
def actions_are_named(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    return _each_grant(holder, plan, ALL_POLICIES, _wide_actions)


def _wide_actions(holder: Resource, statement: Statement) -> Iterator[str | Open]:
    if _key_of_own_account(holder, statement):
        return
    wide = [a for a in statement.actions if isinstance(a, str) and (a == "*" or a.endswith(":*"))]
    if wide:
        yield f"{statement.label} allows {', '.join(wide)}; name the actions that are used"
    elif UNKNOWN in statement.actions:
        yield Open(f"the actions of {statement.label} are known after the apply only")


def _key_of_own_account(holder: Resource, statement: Statement) -> bool:
    """Whether it hands a key to the account's own IAM, without which nobody could manage it."""
    return holder.type in ("aws_kms_key", "aws_kms_key_policy") and all(
        principal.kind == "AWS"
        and (
            principal.name is UNKNOWN
            or (isinstance(principal.name, str) and principal.name.endswith(":root"))
        )
        for principal in statement.principals
    )


@rule(
    "FO205",
    Severity.HIGH,
    title="An Allow lists what it allows, not what it leaves out",
    why="NotAction, NotResource and NotPrincipal in an Allow grant all else, of today and of tomorrow.",
    fix="""
actions   = ["sqs:SendMessage"]
resources = [aws_sqs_queue.this.arn]
""",
    link=links.IAM_NOT,
    subjects=ALL_HOLDERS,
)
def allow_lists_what_it_allows(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    return _each_grant(holder, plan, ALL_POLICIES, _allows_the_rest)


def _allows_the_rest(_holder: Resource, statement: Statement) -> Iterator[str | Open]:
    for given, name in (
        (statement.not_actions, "NotAction"),
        (statement.not_resources, "NotResource"),
        (statement.not_principals, "NotPrincipal"),
    ):
        if given:
            yield f"{statement.label} allows by {name}; list what is allowed instead"


@rule(
    "FO206",
    Severity.HIGH,
    title="A condition does not hold for requests that lack its key",
    why="...IfExists, ForAllValues and Null = true let a request through that lacks the key; ForAnyValue lets"
    " a transaction through of which one key fits. A literal * under an equality operator matches nothing,"
    " and under Like everything.",
    fix="""
condition {
  test     = "StringEquals" # no ...IfExists
  variable = "aws:SourceAccount"
  values   = [data.aws_caller_identity.current.account_id] # a value, not "*"
}

condition {
  test     = "ForAllValues:StringEquals" # for a key with several values, and only beside
  variable = "dynamodb:LeadingKeys"
  values   = ["run#charge"]
}

condition {
  test     = "Null" # a value there has to be
  variable = "dynamodb:LeadingKeys"
  values   = ["false"]
}
""",
    link=links.IAM_CONDITIONS,
    subjects=ALL_HOLDERS,
)
def conditions_close(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    return _each_grant(holder, plan, ALL_POLICIES, _open_conditions)


# Keys with a value for each item of a request, be it a batch or a transaction.
_BY_ITEM = ("dynamodb:leadingkeys", "dynamodb:attributes")


def _open_conditions(_holder: Resource, statement: Statement) -> Iterator[str | Open]:
    present = {c.key for c in statement.conditions if c.operator == "null" and c.values == ("false",)}
    for condition in statement.conditions:
        operator, where = condition.operator, f"{statement.label}: {condition.operator} on {condition.key}"
        if operator == "":
            yield Open(f"the conditions of {statement.label} are known after the apply only")
        elif operator.startswith("forallvalues:") and condition.key not in present:
            yield (
                f'{where} holds when the key is missing; add Null = "false" for the key, or use the plain'
                " operator"
            )
        elif operator.endswith("ifexists"):
            yield f"{where} holds when the key is missing; use the plain operator"
        elif operator.startswith("foranyvalue:") and condition.key in _BY_ITEM:
            yield (
                f'{where} holds when one item of several fits; use ForAllValues, and Null = "false" beside it'
            )
        elif operator == "null" and "true" in condition.values:
            yield f'{where} with "true" allows requests without the key; write "false", or drop it'
        elif "*" in condition.values and ("equals" in operator or "like" in operator):
            literal = "equals" in operator and "arn" not in operator
            effect = "nothing" if literal != ("not" in operator) else "everything"
            yield f'{where} with "*" matches {effect}; write the value that is meant'


@rule(
    "FO207",
    Severity.MEDIUM,
    title="A policy is a document of version 2012-10-17",
    why="Without a version IAM reads the language of 2008, in which variables are literal text; SQS"
    " hands such a policy"
    " back changed, so that an apply waits until it times out.",
    fix="""
data "aws_iam_policy_document" "this" {} # writes Version = "2012-10-17"
""",
    link=links.IAM_VERSION,
    subjects=ALL_HOLDERS,
)
def policy_has_a_version(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    try:
        documents = list(policies_in(holder, plan, ALL_POLICIES))
    except Malformed as fault:
        yield (
            f"its policy is no policy document: {fault}; write it with aws_iam_policy_document or jsonencode"
        )
        return
    for document in documents:
        if document.version is UNKNOWN:
            yield Open("the policy's version is known after the apply only")
        elif document.version != "2012-10-17":
            written = "has no Version" if document.version is None else f'has Version "{document.version}"'
            yield f'its policy {written}; write "2012-10-17"'


@rule(
    "FO208",
    Severity.LOW,
    title="Principals are ARNs, and policies are made, not typed",
    why="AWS stores a bare account id as the ARN of its root, and JSON typed by hand without its blanks:"
    " each plan then shows"
    " a change that is none.",
    fix="""
principals {
  type        = "AWS"
  identifiers = ["arn:${data.aws_partition.current.partition}:iam::${var.account_id}:root"]
}
""",
    link=links.IAM_PRINCIPAL,
    subjects=ALL_HOLDERS,
)
def policies_keep_their_form(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    if _typed_by_hand(holder, plan):
        yield (
            "its policy is a JSON text in the configuration; write it with aws_iam_policy_document or"
            " jsonencode"
        )
    for document in policies_in(holder, plan, ALL_POLICIES):
        for statement in document.statements:
            for principal in (*statement.principals, *statement.not_principals):
                if isinstance(principal.name, str) and _ACCOUNT.fullmatch(principal.name):
                    yield (
                        f"{statement.label} names an account by its bare id; write"
                        " arn:<partition>:iam::<id>:root"
                    )
        for gap in document.gaps:
            yield Open(gap)


def _typed_by_hand(holder: Resource, plan: Plan) -> bool:
    attribute = next(place.attribute for place in ALL_POLICIES if place.type == holder.type)
    constant = plan.references.constant(holder, attribute)
    # What jsonencode makes has no line breaks; what people type does.
    return isinstance(constant, str) and "\n" in constant.strip()


@rule(
    "FO209",
    Severity.HIGH,
    title="Whoever sends to a queue is let in by its policy",
    why="An EventBridge rule, an SNS subscription or a bucket notification to a queue whose policy does"
    " not admit it is accepted by every plan, and its messages are dropped; so is what they could not"
    " deliver, where it is their dead-letter queue that does not.",
    fix="""
statement {
  actions   = ["sqs:SendMessage"]
  resources = [aws_sqs_queue.this.arn]
  principals {
    type        = "Service"
    identifiers = ["sns.amazonaws.com"]
  }
  condition {
    test     = "ArnLike"
    variable = "aws:SourceArn"
    values   = [aws_sns_topic.this.arn]
  }
}
""",
    link=links.SQS_SECURITY,
    subjects=SERVICE_SENDERS,
)
def senders_are_admitted(sender: Resource, plan: Plan) -> Iterator[str | Open]:
    for queue, service in _sends(sender, plan):
        grants = policy_on(queue, plan)
        admitted = [s for s in grants.statements if s.allows and names_action(s, "sqs:SendMessage")]
        if any(service in s.services() or any(p.name == "*" for p in s.principals) for s in admitted):
            continue
        if grants.gaps or any(p.name is UNKNOWN for s in admitted for p in s.principals):
            yield Open(
                (grants.gaps or [f"principals in the policy of {queue} are known after the apply only"])[0]
            )
        else:
            yield f"the policy of {queue} does not let {service} send; add an Allow of sqs:SendMessage for it"


def _sends(sender: Resource, plan: Plan) -> Iterator[tuple[Resource, str]]:
    """The queues that a sender sends to, those for what it could not deliver included, and as which service.

    Raises Undecided.
    """
    for path, service in _targets(sender):
        queue = plan.one(sender, *path, kinds=(QUEUE,))
        if queue is not None:
            yield queue, service
    if sender.type == "aws_sns_topic_subscription":
        for queue in dead_letters_of_subscription(sender, plan):
            yield queue, "sns.amazonaws.com"


def _targets(sender: Resource) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if sender.type == "aws_sns_topic_subscription":
        if sender.values.text("protocol") == "sqs":
            yield ("endpoint",), "sns.amazonaws.com"
    elif sender.type == "aws_cloudwatch_event_target":
        yield ("arn",), "events.amazonaws.com"
        yield ("dead_letter_config", 0, "arn"), "events.amazonaws.com"
    else:
        for index, _ in enumerate(sender.values.blocks("queue")):
            yield ("queue", index, "queue_arn"), "s3.amazonaws.com"


@rule(
    "FO210",
    Severity.MEDIUM,
    title="Rights are granted on named resources",
    why='An Allow on the resource "*" reaches every queue, table and key of the account, and those to come.',
    fix="""
resources = [aws_sqs_queue.this.arn]
""",
    link=links.IAM_PRACTICE,
    subjects=types_of(IDENTITY_POLICIES),
)
def rights_are_on_named_resources(holder: Resource, plan: Plan) -> Iterator[str | Open]:
    return _each_grant(holder, plan, IDENTITY_POLICIES, _unnamed_resources)


def _unnamed_resources(_holder: Resource, statement: Statement) -> Iterator[str | Open]:
    if any(condition.key.startswith(_ABOUT_RESOURCES) for condition in statement.conditions):
        return
    named = [a for a in statement.actions if isinstance(a, str) and _names_a_resource(a)]
    if "*" in statement.resources and named:
        yield f'{statement.label} allows {", ".join(named[:3])} on "*"; name the ARNs'
    elif UNKNOWN in statement.resources and statement.made_by is None:
        yield Open(f"the resources of {statement.label} are known after the apply only")


def _names_a_resource(action: str) -> bool:
    return action.partition(":")[0].lower() in _NAMED_RESOURCES and action.lower() not in _UNNAMED_ACTIONS


@rule(
    "FO211",
    Severity.HIGH,
    title="Whoever sends to a queue with a customer key may use the key",
    why="Sending to such a queue takes kms:GenerateDataKey and kms:Decrypt beside sqs:SendMessage;"
    " without them every send"
    " is refused.",
    fix="""
statement {
  actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
  resources = [aws_kms_key.queue.arn]
}
""",
    link=links.SQS_KEYS,
    subjects=(ROLE,),
)
def senders_may_use_the_key(role: Resource, plan: Plan) -> Iterator[str | Open]:
    grants = policies_of_role(role, plan)
    queues = {
        queue.address: queue
        for statement in grants.statements
        if statement.allows and names_action(statement, "sqs:SendMessage")
        for queue in named_by(statement, plan, QUEUE)
        if customer_key(queue) not in (None, "alias/aws/sqs")
    }
    for queue in queues.values():
        lacking = [
            action
            for action in ("kms:GenerateDataKey", "kms:Decrypt")
            if not may_use_key(grants, action, queue, plan)
        ]
        if lacking:
            yield (
                f"it may send to {queue}, which has a customer key, without {' and '.join(lacking)};"
                " grant both on the key"
            )


@rule(
    "FO212",
    Severity.HIGH,
    title="A service that sends to a queue with a customer key may use the key",
    why="EventBridge, SNS and S3 send by themselves: where the key's policy does not admit them the message"
    " is dropped without a word. The policy of alias/aws/sqs admits no service, and cannot be changed.",
    fix="""
statement {
  actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
  resources = ["*"]
  principals {
    type        = "Service"
    identifiers = ["sns.amazonaws.com"] # or events.amazonaws.com, s3.amazonaws.com
  }
  condition {
    test     = "StringEquals"
    variable = "aws:SourceAccount"
    values   = [data.aws_caller_identity.current.account_id]
  }
}
""",
    link=links.SQS_KEYS,
    subjects=SERVICE_SENDERS,
)
def services_may_use_the_key(sender: Resource, plan: Plan) -> Iterator[str | Open]:
    for queue, service in _sends(sender, plan):
        key_id = customer_key(queue)
        if key_id is None:
            continue
        if isinstance(key_id, str) and key_id.rpartition(":")[2] == "alias/aws/sqs":
            yield (
                f"{queue} is encrypted with alias/aws/sqs, which {service} may never use; write"
                " sqs_managed_sse_enabled = true, or a key of your own"
            )
            continue
        key = plan.one(queue, "kms_master_key_id", kinds=(KEY,))
        if key is None:
            yield Open(f"the key of {queue} is not in this plan")
            continue
        yield from key_admits(service, key, queue, plan)
