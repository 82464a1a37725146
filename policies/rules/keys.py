"""What rules about different services have to say of one customer key."""

from __future__ import annotations

from collections.abc import Iterator

from policies.plan import Plan, Resource
from policies.rules.rule import Open
from policies.topology.permissions import policy_on, refused_to


def key_admits(service: str, key: Resource, encrypted: Resource, plan: Plan) -> Iterator[str | Open]:
    """What keeps a service from publishing to what the key encrypts: nothing when its policy admits it."""
    grants = policy_on(key, plan)
    lacking = refused_to(grants, service, ("kms:Decrypt", "kms:GenerateDataKey"))
    if lacking and grants.gaps:
        yield Open(grants.gaps[0])
    elif lacking:
        yield (
            f"{encrypted} is encrypted with {key}, whose policy gives {service} no"
            f" {' and no '.join(lacking)}; grant both"
        )
