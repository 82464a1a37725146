"""IAM: providers of identities outside AWS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.resource import Equivalence, Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import changed, present, tag_list, tag_map
from local.provider.resources.iam import GONE


def _same_host(left: str, right: str) -> bool:
    """IAM leaves the scheme out."""
    return left.removeprefix("https://") == right.removeprefix("https://")


class OpenIdConnectProvider(Resource):
    """`aws_iam_openid_connect_provider`; its id is its ARN."""

    type = "aws_iam_openid_connect_provider"
    arguments = frozenset({"client_id_list", "thumbprint_list", "url"})
    force_new = frozenset({"url"})
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"url": _same_host}
    missing = GONE
    tagging = Tagging(
        "iam",
        "OpenIDConnectProviderArn",
        methods=("tag_open_id_connect_provider", "untag_open_id_connect_provider"),
    )

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateOpenIDConnectProvider."""
        identifier: str = aws.client("iam").create_open_id_connect_provider(
            ClientIDList=planned["client_id_list"],
            Tags=tag_list(planned["tags_all"]),
            Url=planned["url"],
            **present(ThumbprintList=planned["thumbprint_list"] or None),
        )["OpenIDConnectProviderArn"]
        return identifier

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetOpenIDConnectProvider."""
        found = aws.client("iam").get_open_id_connect_provider(OpenIDConnectProviderArn=state["id"])
        return {
            "arn": state["id"],
            "client_id_list": found["ClientIDList"],
            "tags_all": tag_map(found.get("Tags", [])),
            "thumbprint_list": found["ThumbprintList"],
            "url": found["Url"],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Client ids one by one, thumbprints all at once."""
        client, this = aws.client("iam"), {"OpenIDConnectProviderArn": planned["id"]}
        before, after = set(prior["client_id_list"] or []), set(planned["client_id_list"] or [])
        for added in sorted(after - before):
            client.add_client_id_to_open_id_connect_provider(ClientID=added, **this)
        for removed in sorted(before - after):
            client.remove_client_id_from_open_id_connect_provider(ClientID=removed, **this)
        if changed(prior, planned, "thumbprint_list"):
            client.update_open_id_connect_provider_thumbprint(
                ThumbprintList=planned["thumbprint_list"] or [], **this
            )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteOpenIDConnectProvider."""
        aws.client("iam").delete_open_id_connect_provider(OpenIDConnectProviderArn=state["id"])
