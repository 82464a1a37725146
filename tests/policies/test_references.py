"""References that only a plan's configuration tells are followed, and what it does not tell is undecided."""

from __future__ import annotations

from typing import Any

import pytest

from policies.plan import Plan, Undecided
from tests.policies.support.written import block, plan, refs, resource

MAPPING = "aws_lambda_event_source_mapping"
QUEUE = "aws_sqs_queue"


def queues_of(made: Plan, address: str = f"{MAPPING}.this", attribute: str = "event_source_arn") -> list[str]:
    (mapping,) = [r for r in made.resources if r.address == address]
    return [queue.address for queue in made.candidates(mapping, attribute, kinds=(QUEUE,))]


UNKNOWN_SOURCE = {"event_source_arn": True}


def mapping(address: str = f"{MAPPING}.this", **more: Any) -> dict[str, Any]:
    return resource(address, {}, UNKNOWN_SOURCE, **more)


def test_reference_in_the_same_module() -> None:
    made = plan(
        [mapping(), resource(f"{QUEUE}.a"), resource(f"{QUEUE}.b")],
        {
            "resources": [
                block(f"{MAPPING}.this", {"event_source_arn": refs(f"{QUEUE}.b.arn", f"{QUEUE}.b")}),
                block(f"{QUEUE}.a"),
                block(f"{QUEUE}.b"),
            ]
        },
    )
    assert queues_of(made) == [f"{QUEUE}.b"]


def test_index_of_count_chooses_the_instance() -> None:
    written = refs(f"{QUEUE}.a[1].arn", f"{QUEUE}.a[1]", f"{QUEUE}.a")
    made = plan(
        [mapping(), resource(f"{QUEUE}.a[0]", index=0), resource(f"{QUEUE}.a[1]", index=1)],
        {"resources": [block(f"{MAPPING}.this", {"event_source_arn": written}), block(f"{QUEUE}.a")]},
    )
    assert queues_of(made) == [f"{QUEUE}.a[1]"]


def test_count_index_chooses_the_instance_of_the_same_number() -> None:
    written = refs(f"{QUEUE}.a", "count.index")
    made = plan(
        [mapping(f"{MAPPING}.this[1]", index=1), *(resource(f"{QUEUE}.a[{n}]", index=n) for n in range(3))],
        {"resources": [block(f"{MAPPING}.this", {"event_source_arn": written}), block(f"{QUEUE}.a")]},
    )
    assert queues_of(made, f"{MAPPING}.this[1]") == [f"{QUEUE}.a[1]"]


def test_each_value_of_repeated_resources_is_the_one_of_the_same_key() -> None:
    expressions = {"event_source_arn": refs("each.value.arn", "each.value")}
    made = plan(
        [
            mapping(f'{MAPPING}.this["x"]', index="x"),
            resource(f'{QUEUE}.a["x"]', index="x"),
            resource(f'{QUEUE}.a["y"]', index="y"),
        ],
        {
            "resources": [
                block(f"{MAPPING}.this", expressions, for_each_expression=refs(f"{QUEUE}.a")),
                block(f"{QUEUE}.a"),
            ]
        },
    )
    assert queues_of(made, f'{MAPPING}.this["x"]') == [f'{QUEUE}.a["x"]']


def test_splat_of_several_is_told_as_several() -> None:
    made = plan(
        [mapping(), resource(f'{QUEUE}.a["x"]', index="x"), resource(f'{QUEUE}.a["y"]', index="y")],
        {
            "resources": [
                block(f"{MAPPING}.this", {"event_source_arn": refs(f"{QUEUE}.a")}),
                block(f"{QUEUE}.a"),
            ]
        },
    )
    (found,) = [r for r in made.resources if r.type == MAPPING]

    assert len(queues_of(made)) == 2
    with pytest.raises(Undecided, match="may name any of"):
        made.one(found, "event_source_arn", kinds=(QUEUE,))


def nested(output: Any, argument: Any, use: Any) -> dict[str, Any]:
    """A queue two modules down, handed to a mapping in another module by way of the root."""
    inner = {
        "resources": [block(f"{QUEUE}.this")],
        "outputs": {"arn": {"expression": refs(f"{QUEUE}.this.arn")}},
    }
    outer = {"module_calls": {"inner": {"source": "./inner", "expressions": {}, "module": inner}}}
    return {
        "module_calls": {
            "queues": {
                "source": "./q",
                "expressions": {},
                "module": {**outer, "outputs": {"queue": {"expression": output}}},
            },
            "consumer": {
                "source": "./c",
                "expressions": {"source": argument},
                "module": {
                    "resources": [block(f"{MAPPING}.this", {"event_source_arn": use})],
                    "variables": {"source": {}},
                },
            },
        }
    }


@pytest.mark.parametrize(
    ("output", "argument", "use"),
    [
        (
            refs("module.inner.arn", "module.inner"),
            refs("module.queues.queue", "module.queues"),
            refs("var.source"),
        ),
        (refs("module.inner"), refs("module.queues"), refs("var.source.arn", "var.source")),
    ],
    ids=["attributes", "whole-objects"],
)
def test_reference_through_outputs_and_variables_of_nested_modules(
    output: Any, argument: Any, use: Any
) -> None:
    made = plan(
        [mapping(f"module.consumer.{MAPPING}.this"), resource(f"module.queues.module.inner.{QUEUE}.this")],
        nested(output, argument, use),
    )
    assert queues_of(made, f"module.consumer.{MAPPING}.this") == [f"module.queues.module.inner.{QUEUE}.this"]


def test_instance_of_a_repeated_module_is_chosen_by_its_key() -> None:
    queue = {
        "resources": [block(f"{QUEUE}.this")],
        "outputs": {"arn": {"expression": refs(f"{QUEUE}.this.arn")}},
    }
    consumer = {"resources": [block(f"{MAPPING}.this", {"event_source_arn": refs("var.source")})]}
    root = {
        "module_calls": {
            "queue": {"source": "./q", "module": queue, "for_each_expression": refs("local.jobs")},
            "consumer": {
                "source": "./c",
                "module": consumer,
                "expressions": {"source": refs("module.queue", "each.key")},
                "for_each_expression": refs("local.jobs"),
            },
        }
    }
    keys = ("a.b", "c[0]")
    made = plan(
        [
            *(resource(f'module.queue["{key}"].{QUEUE}.this') for key in keys),
            *(mapping(f'module.consumer["{key}"].{MAPPING}.this') for key in keys),
        ],
        root,
    )
    for key in keys:
        assert queues_of(made, f'module.consumer["{key}"].{MAPPING}.this') == [
            f'module.queue["{key}"].{QUEUE}.this'
        ]


def test_alias_stands_for_its_function() -> None:
    alias, function = "aws_lambda_alias.live", "aws_lambda_function.this"
    made = plan(
        [
            resource(f"{MAPPING}.this", {}, {"function_name": True}),
            resource(alias, {"function_name": "f"}),
            resource(function, {"function_name": "f"}),
        ],
        {
            "resources": [
                block(f"{MAPPING}.this", {"function_name": refs(f"{alias}.arn", alias)}),
                block(alias, {"function_name": refs(f"{function}.function_name", function)}),
                block(function),
            ]
        },
    )
    (found,) = [r for r in made.resources if r.type == MAPPING]
    assert [f.address for f in made.candidates(found, "function_name", kinds=("aws_lambda_function",))] == [
        function
    ]


def test_reference_to_another_kind_of_thing_names_no_queue() -> None:
    stream = "aws_kinesis_stream.s"
    made = plan(
        [mapping(), resource(stream)],
        {
            "resources": [
                block(f"{MAPPING}.this", {"event_source_arn": refs(f"{stream}.arn", stream)}),
                block(stream),
            ]
        },
    )
    assert queues_of(made) == []


@pytest.mark.parametrize(
    "written",
    [
        refs("local.queue_arn"),
        refs("data.aws_sqs_queue.x.arn", "data.aws_sqs_queue.x"),
        refs("module.gone.arn"),
        {},
    ],
    ids=["local", "data", "module", "nothing"],
)
def test_reference_that_leads_nowhere_is_undecided(written: Any) -> None:
    expressions = {"event_source_arn": written}
    made = plan(
        [mapping(), resource(f"{QUEUE}.a")],
        {"resources": [block(f"{MAPPING}.this", expressions), block(f"{QUEUE}.a")]},
    )
    with pytest.raises(Undecided):
        queues_of(made)


def test_references_that_go_in_a_circle_end() -> None:
    module = {
        "resources": [block(f"{MAPPING}.this", {"event_source_arn": refs("var.a")})],
        "outputs": {"o": {"expression": refs("var.a")}},
    }
    root = {
        "module_calls": {
            "m": {"source": "./m", "expressions": {"a": refs("module.m.o", "module.m")}, "module": module}
        }
    }
    made = plan([mapping(f"module.m.{MAPPING}.this")], root)
    with pytest.raises(Undecided):
        queues_of(made, f"module.m.{MAPPING}.this")


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("arn:aws:sqs:ap-northeast-1:111122223333:a.fifo", QUEUE, True),
        ("arn:aws-cn:sqs:ap-northeast-1:111122223333:a.fifo", QUEUE, True),
        ("https://sqs.ap-northeast-1.amazonaws.com/111122223333/a.fifo", QUEUE, True),
        ("a.fifo", QUEUE, True),
        ("arn:aws:sns:ap-northeast-1:111122223333:a.fifo", QUEUE, False),
        ("arn:aws:lambda:ap-northeast-1:111122223333:function:f", "aws_lambda_function", True),
        ("arn:aws:lambda:ap-northeast-1:111122223333:function:f:live", "aws_lambda_function", True),
        ("111122223333:function:f", "aws_lambda_function", True),
        ("f:3", "aws_lambda_function", True),
        ("arn:aws:iam::111122223333:role/path/r", "aws_iam_role", True),
    ],
)
def test_known_names_are_matched_in_each_of_their_forms(text: str, kind: str, found: bool) -> None:
    made = plan(
        [
            resource(f"{QUEUE}.a", {"name": "a.fifo"}),
            resource("aws_lambda_function.f", {"function_name": "f"}),
            resource("aws_iam_role.r", {"name": "r"}),
        ],
        {},
    )
    assert bool(made.named(text, (kind,))) is found


def test_same_name_in_two_regions_is_told_apart() -> None:
    made = plan(
        [
            resource(f"{QUEUE}.{region}", {"name": "q", "region": f"eu-{region}-1"})
            for region in ("west", "north")
        ],
        {},
    )
    (found,) = made.named("arn:aws:sqs:eu-north-1:111122223333:q", (QUEUE,))
    assert found.address == f"{QUEUE}.north"


def test_argument_that_is_not_written_is_absent_although_the_provider_computes_it() -> None:
    changes = [resource(f"{QUEUE}.a", {}, {"policy": True, "redrive_policy": True, "arn": True})]
    made = plan(changes, {"resources": [block(f"{QUEUE}.a", {"redrive_policy": refs("local.x")})]})

    (queue,) = made.resources
    assert not queue.values.unknown("policy")
    assert queue.values.unknown("redrive_policy")
