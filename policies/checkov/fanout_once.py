"""Rules of this gate as checkov's checks: FO107 is CKV_FO_107.

checkov loads this file by its path. Only rules about one resource are here; a check says UNKNOWN where the
rule is undecided. For plans set EVAL_TF_PLAN_AFTER_UNKNOWN=1, or checkov hides what is unknown until then.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from checkov.common.models.enums import CheckCategories, CheckResult  # type: ignore[import-not-found, unused-ignore]
from checkov.terraform.checks.resource.base_resource_check import (  # type: ignore[import-not-found, unused-ignore]
    BaseResourceCheck,
)

sys.path.append(str(Path(__file__).parents[2]))  # checkov knows this file, not the package that it belongs to

from policies.judge import Verdict, judge
from policies.plan import UNKNOWN, Block, Node, Plan, Resource
from policies.plan.configuration import ModuleConfiguration
from policies.plan.references import References
from policies.rules import RULES, Rule
from policies.rules.one_resource import ONE_RESOURCE, checkov_id

# How checkov writes a value that is known after the apply only, and how HCL that it did not evaluate begins.
_AFTER_APPLY = (
    "true_after_unknown",
    "${",
    "var.",
    "local.",
    "module.",
    "data.",
    "aws_",
    "each.",
    "jsonencode(",
)
# Arguments that are lists; checkov wraps every value in one more.
_LISTS = ("function_response_types", "filter_criteria")
# Arguments whose JSON checkov has read already.
_DOCUMENTS = ("policy", "assume_role_policy")


class RuleAsCheck(BaseResourceCheck):  # type: ignore[misc, unused-ignore]
    """One rule."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        super().__init__(
            name=rule.title,
            id=checkov_id(rule.id),
            categories=[CheckCategories.GENERAL_SECURITY],
            supported_resources=list(rule.subjects),
            guideline=rule.link,
        )

    def scan_resource_conf(self, conf: dict[str, Any]) -> Any:
        """PASSED, FAILED or UNKNOWN; the rule's message goes to the details."""
        resource = _resource(self.entity_type, conf)
        plan = Plan("", [resource], References(ModuleConfiguration({}, {}, {}), [resource]))
        outcomes = judge(plan, [self._rule]).outcomes
        self.details = [outcome.message for outcome in outcomes]
        if any(outcome.verdict is Verdict.FINDING for outcome in outcomes):
            return CheckResult.FAILED
        return CheckResult.UNKNOWN if outcomes else CheckResult.PASSED


def _resource(kind: str, conf: dict[str, Any]) -> Resource:
    fields = {name: _top(name, value) for name, value in conf.items() if not name.startswith("__")}
    return Resource(f"{kind}.this", (), "managed", kind, "this", None, Block(fields))


def _top(name: str, value: Any) -> Node:
    """An argument: checkov has every value in a list of one, and nested blocks in a list each."""
    if name in _DOCUMENTS and isinstance(value, list) and value and isinstance(value[0], dict):
        return json.dumps(value[0])
    if isinstance(value, list) and len(value) == 1 and (name not in _LISTS or isinstance(value[0], list)):
        return _node(value[0])
    return _node(value)


def _node(value: Any) -> Node:
    if isinstance(value, dict):
        return {name: _top(name, item) for name, item in value.items() if not str(name).startswith("__")}
    if isinstance(value, list):
        return [_node(item) for item in value]
    if isinstance(value, str):
        return UNKNOWN if value.startswith(_AFTER_APPLY) or "${" in value else value
    return value if isinstance(value, bool | int | float) or value is None else UNKNOWN


CHECKS = [RuleAsCheck(RULES[rule_id]) for rule_id in ONE_RESOURCE]
