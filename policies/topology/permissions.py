"""Who may do what: resource policies, role policies, and whether statements grant an action on a resource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from policies.plan import UNKNOWN, Node, Plan, PolicyDocument, Resource, Statement, Undecided
from policies.plan.arns import identify
from policies.plan.policy import documents
from policies.plan.references import Trail

ROLE = "aws_iam_role"
KEY = "aws_kms_key"

# AWS's own policies that roles of functions usually have, and what they grant of what rules ask for.
_MANAGED: dict[str, tuple[str, ...]] = {
    "AWSXRayDaemonWriteAccess": (),
    "CloudWatchLambdaInsightsExecutionRolePolicy": (),
    "service-role/AWSLambdaBasicExecutionRole": (),
    "service-role/AWSLambdaDynamoDBExecutionRole": (),
    "service-role/AWSLambdaKinesisExecutionRole": (),
    "service-role/AWSLambdaSQSQueueExecutionRole": (
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
        "sqs:ReceiveMessage",
    ),
    "service-role/AWSLambdaVPCAccessExecutionRole": (),
}


@dataclass(frozen=True)
class PolicyPlace:
    """Where a kind of policy stands, and what it is attached to when that is another resource."""

    type: str
    attribute: str
    target: str = ""  # the attribute that names what the policy is attached to
    target_type: str = ""


RESOURCE_POLICIES = (
    PolicyPlace("aws_sqs_queue", "policy"),
    PolicyPlace("aws_sqs_queue_policy", "policy", "queue_url", "aws_sqs_queue"),
    PolicyPlace("aws_sns_topic", "policy"),
    PolicyPlace("aws_sns_topic_policy", "policy", "arn", "aws_sns_topic"),
    PolicyPlace("aws_kms_key", "policy"),
    PolicyPlace("aws_kms_key_policy", "policy", "key_id", "aws_kms_key"),
    PolicyPlace("aws_s3_bucket_policy", "policy", "bucket", "aws_s3_bucket"),
)
TRUST_POLICIES = (PolicyPlace(ROLE, "assume_role_policy"),)
IDENTITY_POLICIES = (
    PolicyPlace("aws_iam_role_policy", "policy", "role", ROLE),
    PolicyPlace("aws_iam_policy", "policy"),
    PolicyPlace("aws_iam_user_policy", "policy"),
    PolicyPlace("aws_iam_group_policy", "policy"),
)


def types_of(places: Iterable[PolicyPlace]) -> tuple[str, ...]:
    """The resource types of places, as a rule's subjects."""
    return tuple(place.type for place in places)


def policies_in(holder: Resource, plan: Plan, places: Iterable[PolicyPlace]) -> Iterator[PolicyDocument]:
    """The documents that a resource holds. Raises Undecided."""
    for place in places:
        if place.type == holder.type:
            yield from documents(plan, holder, place.attribute)


@dataclass
class Grants:
    """Statements of all policies on one thing. `gaps`: policies that cannot be read, and may grant more."""

    statements: list[Statement] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    holders: list[Resource] = field(default_factory=list)

    def take(self, holder: Resource, plan: Plan, attribute: str) -> None:
        """Add the policy at an attribute."""
        try:
            found = documents(plan, holder, attribute)
        except Undecided as reason:
            self.gaps.append(f"{holder}: {reason}")
            self.holders.append(holder)
            return
        for document in found:
            self.statements += document.statements
            self.gaps += document.gaps
        if found:
            self.holders.append(holder)


def policy_on(resource: Resource, plan: Plan) -> Grants:
    """The resource policy of a queue, topic, key or bucket, wherever it is written."""
    grants = Grants()
    for place in RESOURCE_POLICIES:
        if place.type == resource.type:
            grants.take(resource, plan, place.attribute)
        elif place.target_type == resource.type:
            attachments = plan.attached(place.type, place.target, place.target_type)
            for holder in attachments.of(resource):
                grants.take(holder, plan, place.attribute)
            grants.gaps += [
                f"{holder}: {place.target} is known after the apply only" for holder in attachments.adrift
            ]
    return grants


def policies_of_role(role: Resource, plan: Plan) -> Grants:
    """What a role's own policies say: inline, attached and managed ones."""
    grants = Grants()
    inline = plan.attached("aws_iam_role_policy", "role", ROLE)
    for holder in inline.of(role):
        grants.take(holder, plan, "policy")
    attached = plan.attached("aws_iam_role_policy_attachment", "role", ROLE)
    for attachment in attached.of(role):
        grants.holders.append(attachment)
        arn = attachment.values.raw("policy_arn")
        try:
            policy = plan.one(attachment, "policy_arn", kinds=("aws_iam_policy",))
        except Undecided as reason:
            grants.gaps.append(f"{attachment}: {reason}")
            continue
        if policy is None:
            known = _MANAGED.get(str(arn).partition(":policy/")[2])
            if known is None:
                grants.gaps.append(f"{attachment}: {arn} is not in this plan")
            else:
                grants.statements.append(Statement(str(arn), "Allow", actions=known, resources=("*",)))
        else:
            grants.take(policy, plan, "policy")
    grants.gaps += [
        f"{holder}: role is known after the apply only" for holder in (*inline.adrift, *attached.adrift)
    ]
    for block in role.values.blocks("inline_policy") if not role.values.unknown("inline_policy") else ():
        if block.raw("policy") is not None:
            grants.gaps.append(f"{role}: {block.path} is not read; write an aws_iam_role_policy")
    return grants


def names_action(statement: Statement, action: str) -> bool:
    """Whether a statement's actions cover one; an unknown action does not."""
    wanted = action.lower()
    listed = [item.lower() for item in statement.actions if isinstance(item, str)]
    if statement.not_actions:
        return not any(
            fnmatchcase(wanted, item.lower()) for item in statement.not_actions if isinstance(item, str)
        )
    return any(fnmatchcase(wanted, item) for item in listed)


def grants_on(grants: Grants, action: str, target: Resource, plan: Plan) -> bool:
    """Whether an action on a resource is allowed. Raises Undecided when what cannot be read may allow it."""
    maybe = list(grants.gaps)
    for statement in grants.statements:
        if not statement.allows or not names_action(statement, action):
            continue
        covered = covers(statement, target, plan)
        if covered:
            return True
        if covered is None:
            maybe.append(f"the resources of {statement.label} are known after the apply only")
    if maybe:
        raise Undecided(maybe[0])
    return False


def refused_to(grants: Grants, service: str, actions: Iterable[str]) -> list[str]:
    """Which of the actions a resource's policy lets a service not do, as far as it can be read."""
    admitting = [s for s in grants.statements if s.allows and service in s.services()]
    return [action for action in actions if not any(names_action(s, action) for s in admitting)]


def customer_key(queue: Resource) -> Node:
    """What a queue says of its customer key, or None when SQS encrypts it with a key of SQS's own."""
    if queue.values.raw("sqs_managed_sse_enabled") is True:
        return None
    key = queue.values.raw("kms_master_key_id")
    return None if key == "" else key


def may_use_key(grants: Grants, action: str, queue: Resource, plan: Plan) -> bool:
    """Whether a role's grants allow an action on the customer key of a queue. Raises Undecided."""
    known = queue.values.raw("kms_master_key_id")
    # A key of another state is still named by the same ARN on both sides.
    names = ("*", known) if isinstance(known, str) else ("*",)
    allowed = [s for s in grants.statements if s.allows and names_action(s, action)]
    if any(name in statement.resources for statement in allowed for name in names):
        return True
    key = plan.one(queue, "kms_master_key_id", kinds=(KEY,))
    if key is None or grants_on(grants, action, key, plan):
        return True
    # A key's own policy may name the role, in place of the account's IAM.
    own = policy_on(key, plan)
    for statement in own.statements:
        others = [
            p for p in statement.principals if p.kind != "Service" and not str(p.name).endswith(":root")
        ]
        if statement.allows and others and names_action(statement, action):
            raise Undecided(f"{statement.label} of the policy of {key} may name this role")
    return False


def covers(statement: Statement, target: Resource, plan: Plan) -> bool | None:
    """Whether a statement's resources include one; None when that cannot be told."""
    if statement.not_resources:
        return None
    unknown = False
    for resource in statement.resources:
        if resource is UNKNOWN:
            unknown = True
        elif isinstance(resource, str) and _matches(resource, target, plan):
            return True
    if not unknown:
        return None if _anonymous(target) and statement.resources else False
    trail, exact = _resources_of(statement, plan)
    if target.address in trail.found:
        return True if exact or _only_one(trail, target) else None
    return None if trail.lost or not trail.found else False


def _resources_of(statement: Statement, plan: Plan) -> tuple[Trail, bool]:
    """What the unknown resources of a statement come from, and whether no other statement's are among them.

    A dynamic block stands once in the configuration, or not at all: which of its statements is which is then
    not told.
    """
    data = statement.made_by
    if data is None:
        return Trail(lost=True), False
    blocks = data.values.raw("statement")
    if isinstance(blocks, list) and len(blocks) == plan.references.blocks(data, "statement"):
        return plan.trail(data, "statement", statement.index, "resources"), True
    return plan.trail(data, "statement"), False


def _only_one(trail: Trail, target: Resource) -> bool:
    """Whether the target is the only resource of its type in a trail."""
    return all(found is target for found in trail.found.values() if found.type == target.type)


def named_by(statement: Statement, plan: Plan, kind: str) -> list[Resource]:
    """The resources of a type that a statement names one by one; a wildcard names none."""
    named = [r for text in statement.resources if isinstance(text, str) for r in plan.named(text, (kind,))]
    if UNKNOWN in statement.resources:
        sources = _resources_of(statement, plan)[0].found.values()
        named += [resource for resource in sources if resource.type == kind]
    return named


def _anonymous(target: Resource) -> bool:
    """Whether neither ARN nor name are known, so that no text can be compared with it."""
    return all(
        not isinstance(target.values.raw(name), str) for name in ("arn", "id", "name", "function_name")
    )


def _matches(pattern: str, target: Resource, plan: Plan) -> bool:
    if pattern == "*":
        return True
    if any(found is target for found in plan.named(pattern, (target.type,))):
        return True
    identity = identify(pattern.replace("?", "*"), target.type)
    if identity is None:
        return False
    for attribute in ("name", "function_name", "arn"):
        known = target.values.raw(attribute)
        if isinstance(known, str) and fnmatchcase(known, identity.name if attribute != "arn" else pattern):
            return identity.type in (target.type, "")
    return False
