"""The schema: read from the bindings, and given to Terraform as it is."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from deploy.terraform import terraform_command
from local.provider.engine.schema import conform, load
from local.provider.schema import DATA_SOURCES, RESOURCES
from local.provider.schema import generate as generator

BINDING = """
// https://registry.terraform.io/providers/hashicorp/aws/9.8.7/docs/resources/thing
export interface ThingRule {
}
export function thingRuleToHclTerraform(struct?: ThingRule): any {
  const attrs = {
    days: {
      value: cdktn.numberToHclTerraform(struct!.days),
      isBlock: false,
      type: "simple",
      storageClassType: "number",
    },
  };
}
export class ThingRuleOutputReference extends cdktn.ComplexObject {
  // days - computed: true, optional: true, required: false
  private _days?: number;
  public get days() {
    return this.getNumberAttribute('days');
  }
}
export class ThingRuleList extends cdktn.ComplexList {
}
export class ThingWindowOutputReference extends cdktn.ComplexObject {
  // mode - computed: false, optional: false, required: true
  private _mode?: string;
  public get mode() {
    return this.getStringAttribute('mode');
  }
}
export class ThingTimeoutsOutputReference extends cdktn.ComplexObject {
  // create - computed: false, optional: true, required: false
  private _create?: string;
  public get create() {
    return this.getStringAttribute('create');
  }
}
export class ThingStatusOutputReference extends cdktn.ComplexObject {
  // code - computed: true, optional: false, required: false
  public get code() {
    return this.getNumberAttribute('code');
  }
}
export class Thing extends cdktn.TerraformResource {
  // arn - computed: true, optional: false, required: false
  public get arn() {
    return this.getStringAttribute('arn');
  }
  // enabled - computed: false, optional: true, required: false
  private _enabled?: boolean | cdktn.IResolvable;
  public get enabled() {
    return this.getBooleanAttribute('enabled');
  }
  // groups - computed: false, optional: true, required: false
  private _groups?: string[];
  public get groups() {
    return cdktn.Fn.tolist(this.getListAttribute('groups'));
  }
  // layers - computed: false, optional: true, required: false
  private _layers?: string[];
  public get layers() {
    return this.getListAttribute('layers');
  }
  // seen - computed: true, optional: false, required: false
  public get seen() {
    return cdktn.Fn.tolist(this.getListAttribute('seen'));
  }
  // tags - computed: false, optional: true, required: false
  private _tags?: { [key: string]: string };
  public get tags() {
    return this.getStringMapAttribute('tags');
  }
  // rule - computed: false, optional: true, required: false
  private _rule = new ThingRuleList(this, "rule", true);
  public get rule() {
    return this._rule;
  }
  // window - computed: false, optional: false, required: true
  private _window = new ThingWindowOutputReference(this, "window");
  public get window() {
    return this._window;
  }
  // timeouts - computed: false, optional: true, required: false
  private _timeouts = new ThingTimeoutsOutputReference(this, "timeouts");
  public get timeouts() {
    return this._timeouts;
  }
  // status - computed: true, optional: false, required: false
  private _status = new ThingStatusList(this, "status", false);
  public get status() {
    return this._status;
  }
  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      groups: {
        value: cdktn.listMapperHcl(cdktn.stringToHclTerraform, false)(this._groups),
        isBlock: false,
        type: "set",
        storageClassType: "stringList",
      },
      layers: {
        value: cdktn.listMapperHcl(cdktn.stringToHclTerraform, false)(this._layers),
        isBlock: false,
        type: "list",
        storageClassType: "stringList",
      },
      rule: {
        value: cdktn.listMapperHcl(thingRuleToHclTerraform, true)(this._rule.internalValue),
        isBlock: true,
        type: "set",
        storageClassType: "ThingRuleList",
      },
      window: {
        value: thingWindowToHclTerraform(this._window.internalValue),
        isBlock: true,
        type: "list",
        storageClassType: "ThingWindowList",
      },
      timeouts: {
        value: thingTimeoutsToHclTerraform(this._timeouts.internalValue),
        isBlock: true,
        type: "struct",
        storageClassType: "ThingTimeouts",
      },
    };
  }
}
"""
PROVIDER = """
// https://registry.terraform.io/providers/hashicorp/aws/9.8.7/docs
export interface AwsProviderEndpoints {
  /**
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/hashicorp/aws/9.8.7/docs#sqs AwsProvider#sqs}
  */
  readonly sqs?: string;
}
export function awsProviderEndpointsToHclTerraform(struct?: AwsProviderEndpoints): any {
  const attrs = {
    sqs: {
      value: cdktn.stringToHclTerraform(struct!.sqs),
      isBlock: false,
      type: "simple",
      storageClassType: "string",
    },
  };
}
export class AwsProvider extends cdktn.TerraformProvider {
  // alias - computed: false, optional: true, required: false
  private _alias?: string;
  public get alias() {
    return this._alias;
  }
  // endpoints - computed: false, optional: true, required: false
  private _endpoints?: AwsProviderEndpoints[] | cdktn.IResolvable;
  public get endpoints() {
    return this._endpoints;
  }
  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      endpoints: {
        value: cdktn.listMapperHcl(awsProviderEndpointsToHclTerraform, true)(this._endpoints),
        isBlock: true,
        type: "set",
        storageClassType: "AwsProviderEndpointsList",
      },
    };
  }
}
"""  # noqa: E501 - as the bindings are written


def tarball(directory: Path, bindings: dict[str, str]) -> Path:
    path = directory / "bindings.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for folder, source in bindings.items():
            source_map = base64.b64encode(json.dumps({"sourcesContent": [source]}).encode()).decode()
            text = f"//# sourceMappingURL=data:application/json;base64,{source_map}".encode()
            entry = tarfile.TarInfo(f"package/lib/{folder}/index.js")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    return path


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(generator, "RESOURCES", ("aws_thing",))
    monkeypatch.setattr(generator, "DATA_SOURCES", ())
    monkeypatch.setattr(generator, "SENSITIVE", {("aws_thing", "arn")})
    return generator.generate(tarball(tmp_path, {"provider": PROVIDER, "thing": BINDING}))


def test_types_and_flags_are_read_from_the_bindings(generated: dict[str, Any]) -> None:
    assert generated["provider_version"] == "9.8.7"
    assert generated["resources"]["aws_thing"]["attributes"] == {
        "arn": {"type": "string", "computed": True, "sensitive": True},
        "enabled": {"type": "bool", "optional": True},
        "groups": {"type": ["set", "string"], "optional": True},
        "layers": {"type": ["list", "string"], "optional": True},
        "seen": {"type": ["set", "string"], "computed": True},
        "status": {"type": ["list", ["object", {"code": "number"}]], "computed": True},
        "tags": {"type": ["map", "string"], "optional": True},
    }


def test_nesting_and_limits_of_blocks_are_read_from_the_bindings(generated: dict[str, Any]) -> None:
    blocks = generated["resources"]["aws_thing"]["blocks"]
    shape = {name: (block["nesting"], block.get("min"), block.get("max")) for name, block in blocks.items()}
    assert shape == {
        "rule": ("set", None, None),
        "window": ("list", 1, 1),
        "timeouts": ("single", None, None),
    }
    assert blocks["rule"]["attributes"] == {"days": {"type": "number", "computed": True, "optional": True}}


def test_the_providers_own_configuration_is_read_and_its_alias_left_out(generated: dict[str, Any]) -> None:
    assert generated["provider"] == {
        "attributes": {},
        "blocks": {
            "endpoints": {
                "nesting": "set",
                "attributes": {"sqs": {"type": "string", "optional": True}},
                "blocks": {},
            }
        },
    }


def test_a_binding_of_another_form_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "RESOURCES", ("aws_thing",))
    monkeypatch.setattr(generator, "DATA_SOURCES", ())
    broken = BINDING.replace("this.getBooleanAttribute('enabled')", "42").replace(
        "_enabled?: boolean", "_e?: Odd"
    )
    with pytest.raises(ValueError, match="no type found"):
        generator.generate(tarball(tmp_path, {"provider": PROVIDER, "thing": broken}))


def test_every_listed_type_is_in_the_file() -> None:
    schema = load()
    assert schema.version == "6.45.0"
    assert set(schema.resources) == set(RESOURCES)
    assert set(schema.data_sources) == set(DATA_SOURCES)


def test_a_value_is_brought_into_the_shape_of_its_schema() -> None:
    block = load().resources["aws_sqs_queue"]
    shaped = conform({"name": "a", "delay_seconds": "5", "gone": 1}, block)
    assert set(shaped) == {*block.attributes, *block.blocks}
    assert (shaped["name"], shaped["delay_seconds"], shaped["timeouts"]) == ("a", 5, None)


@pytest.mark.terraform
def test_terraform_sees_the_schema_that_the_file_has(tmp_path: Path, attached: dict[str, str]) -> None:
    source = 'terraform {\n  required_providers {\n    aws = { source = "hashicorp/aws" }\n  }\n}\n'
    (tmp_path / "main.tf").write_text(source)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*terraform_command(), *arguments],
            cwd=tmp_path,
            env=attached,
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout

    run("init", "-input=false")
    provider = json.loads(run("providers", "schema", "-json"))["provider_schemas"][
        "registry.terraform.io/hashicorp/aws"
    ]
    assert set(provider["resource_schemas"]) == set(RESOURCES)
    queue = provider["resource_schemas"]["aws_sqs_queue"]["block"]
    assert queue["attributes"]["visibility_timeout_seconds"]["type"] == "number"
    assert queue["attributes"]["policy"]["optional"]
    assert queue["attributes"]["policy"]["computed"]
    schedule = provider["resource_schemas"]["aws_scheduler_schedule"]["block"]["block_types"]
    assert (schedule["target"]["min_items"], schedule["target"]["max_items"]) == (1, 1)
    assert provider["resource_schemas"]["aws_ssm_parameter"]["block"]["attributes"]["value"]["sensitive"]
