"""aws_iam_policy_document, byte for byte."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from local.provider.data_sources.policy_document import render
from local.provider.engine.errors import Problem
from local.provider.engine.values import Values
from tests.local.provider.plugin import Plugin


def document(**config: Any) -> Values:
    return Plugin().configured().read_data("aws_iam_policy_document", config)


def test_the_whole_document_is_rendered_as_the_provider_renders_it() -> None:
    state = document(
        policy_id="policy_id",
        statement=[
            {
                "sid": "1",
                "actions": ["s3:GetBucketLocation", "s3:ListAllMyBuckets"],
                "resources": ["arn:aws:s3:::*"],
            },
            {
                "actions": ["s3:ListBucket"],
                "resources": ["arn:aws:s3:::foo"],
                "not_principals": [{"type": "AWS", "identifiers": ["arn:blahblah:example"]}],
                "condition": [
                    {
                        "test": "StringLike",
                        "variable": "s3:prefix",
                        "values": ["home/", "", "home/&{aws:username}/"],
                    }
                ],
            },
            {
                "effect": "Deny",
                "not_actions": ["s3:*"],
                "not_resources": ["arn:aws:s3:::*"],
                "principals": [
                    {"type": "Service", "identifiers": ["b.amazonaws.com", "c.amazonaws.com"]},
                    {"type": "AWS", "identifiers": ["*"]},
                ],
            },
        ],
    )
    assert (
        state["json"]
        == """{
  "Version": "2012-10-17",
  "Id": "policy_id",
  "Statement": [
    {
      "Sid": "1",
      "Effect": "Allow",
      "Action": [
        "s3:ListAllMyBuckets",
        "s3:GetBucketLocation"
      ],
      "Resource": "arn:aws:s3:::*"
    },
    {
      "Effect": "Allow",
      "Action": "s3:ListBucket",
      "Resource": "arn:aws:s3:::foo",
      "NotPrincipal": {
        "AWS": "arn:blahblah:example"
      },
      "Condition": {
        "StringLike": {
          "s3:prefix": [
            "home/",
            "",
            "home/${aws:username}/"
          ]
        }
      }
    },
    {
      "Effect": "Deny",
      "NotAction": "s3:*",
      "NotResource": "arn:aws:s3:::*",
      "Principal": {
        "AWS": "*",
        "Service": [
          "c.amazonaws.com",
          "b.amazonaws.com"
        ]
      }
    }
  ]
}"""
    )
    assert state["id"] == str(zlib.crc32(state["json"].encode()))
    assert state["minified_json"] == json.dumps(json.loads(state["json"]), separators=(",", ":"))


def test_no_statement_is_a_document_of_its_version() -> None:
    assert document()["json"] == '{\n  "Version": "2012-10-17"\n}'


def test_defaults_are_part_of_the_state() -> None:
    state = document(statement=[{"actions": ["sqs:*"]}])
    assert state["version"] == "2012-10-17"
    assert state["statement"][0]["effect"] == "Allow"


def test_everybody_is_a_plain_star() -> None:
    state = document(statement=[{"principals": [{"type": "*", "identifiers": ["*"]}]}])
    assert json.loads(state["json"])["Statement"][0]["Principal"] == "*"


def test_every_account_stays_under_its_type() -> None:
    """IAM takes {"AWS": "*"} in a trust policy, and no plain star."""
    state = document(statement=[{"principals": [{"type": "AWS", "identifiers": ["*"]}]}])
    assert json.loads(state["json"])["Statement"][0]["Principal"] == {"AWS": "*"}


def test_principals_of_one_type_are_joined() -> None:
    blocks = [{"type": "AWS", "identifiers": ["1"]}, {"type": "AWS", "identifiers": ["2", "3"]}]
    principal = json.loads(document(statement=[{"principals": blocks}])["json"])["Statement"][0]["Principal"]
    assert principal == {"AWS": ["1", "3", "2"]}


def test_values_of_one_condition_are_joined_in_the_order_written() -> None:
    conditions = [
        {"test": "ArnLike", "variable": "aws:SourceArn", "values": ["b"]},
        {"test": "ArnLike", "variable": "aws:SourceArn", "values": ["a"]},
        {"test": "Bool", "variable": "aws:SecureTransport", "values": ["false"]},
    ]
    condition = json.loads(document(statement=[{"condition": conditions}])["json"])["Statement"][0][
        "Condition"
    ]
    assert condition == {"ArnLike": {"aws:SourceArn": ["b", "a"]}, "Bool": {"aws:SecureTransport": "false"}}


def test_characters_that_html_could_mistake_are_escaped() -> None:
    text = document(statement=[{"resources": ["<a>&b"]}])["json"]
    assert "\\u003ca\\u003e\\u0026b" in text
    assert json.loads(text)["Statement"][0]["Resource"] == "<a>&b"


def test_text_outside_ascii_is_kept() -> None:
    assert "給与" in document(statement=[{"resources": ["給与"]}])["json"]


def policy(*statements: Values, **fields: str) -> str:
    return json.dumps({**fields, "Statement": list(statements)})


def statements(state: Values) -> Any:
    return json.loads(state["json"])["Statement"]


def test_sources_come_first_and_a_statement_replaces_the_source_of_its_sid() -> None:
    sources = [policy({"Sid": "A", "Effect": "Deny"}, {"Sid": "B", "Effect": "Deny"})]
    state = document(
        source_policy_documents=sources, statement=[{"sid": "A", "actions": ["x:1"]}, {"sid": "C"}]
    )
    assert [(item["Sid"], item["Effect"]) for item in statements(state)] == [
        ("A", "Allow"),
        ("B", "Deny"),
        ("C", "Allow"),
    ]


def test_an_override_replaces_a_statement_in_its_place_and_others_follow() -> None:
    override = policy({"Sid": "A", "Effect": "Deny"}, {"Effect": "Deny"}, Id="other")
    state = document(statement=[{"sid": "A"}, {"sid": "B"}], override_policy_documents=[override])
    assert [item.get("Sid") for item in statements(state)] == ["A", "B", None]
    assert statements(state)[0]["Effect"] == "Deny"
    assert json.loads(state["json"])["Id"] == "other"


def test_statements_without_a_sid_are_all_kept() -> None:
    state = document(source_policy_documents=[policy({"Effect": "Deny"})], statement=[{}, {}])
    assert len(statements(state)) == 3


def test_the_newer_version_wins() -> None:
    state = document(source_policy_documents=[policy(Version="2012-10-17")], version="2008-10-17")
    assert json.loads(state["json"])["Version"] == "2012-10-17"


def test_a_merged_document_is_brought_into_the_same_form() -> None:
    source = policy(
        {
            "Condition": {"Bool": {"aws:SecureTransport": False}},
            "Principal": {"AWS": ["1", "2"]},
            "Action": "a:1",
            "Effect": "Allow",
        }
    )
    text = document(source_policy_documents=[source])["minified_json"]
    assert text == (
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"a:1","Principal":{"AWS":["2","1"]},'
        '"Condition":{"Bool":{"aws:SecureTransport":"false"}}}]}'
    )


def test_a_sid_twice_among_sources_is_refused() -> None:
    with pytest.raises(Problem, match="duplicate Sid A in source_policy_documents"):
        render("2012-10-17", "", [], [policy({"Sid": "A"}), policy({"Sid": "A"})], [])


def test_a_sid_twice_among_statements_is_refused() -> None:
    with pytest.raises(AssertionError, match="duplicate Sid A in statement"):
        document(statement=[{"sid": "A"}, {"sid": "A"}])


def test_policy_variables_of_the_old_version_are_refused() -> None:
    with pytest.raises(AssertionError, match="does not support"):
        document(version="2008-10-17", statement=[{"resources": ["&{aws:username}"]}])
