"""A local AWS in which everything that can be watched is deployed, with its alarms."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.alarms.deployed import Watched, watched
from tests.terraform.conftest import attached_to

REPOSITORY = Path(__file__).resolve().parents[2]
ROOT = Path(__file__).with_name("root")


@dataclass
class Stage:
    """What is deployed: things that are watched, the packs' outputs, the ids of the whole catalogue."""

    aws: Emulator
    root: Terraform
    watched: Watched
    packs: dict[str, dict[str, Any]]
    ids: list[str]

    @property
    def alarms(self) -> dict[str, str]:
        """Names by `<id>/<key>`."""
        return {key: alarm["name"] for pack in self.packs.values() for key, alarm in pack["alarms"].items()}


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("alarms")
    copy = folder / "tests" / "alarms" / "root"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".terraform*", "*.tfstate*"))
    (folder / "modules").symlink_to(REPOSITORY / "modules")
    with Emulator.start(log=folder / "emulator.log") as aws, attached_to(aws) as environment:
        provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
        (copy / "provider.tf").write_text(provider, encoding="utf-8")
        state = folder / "terraform.tfstate"
        root = Terraform(copy, environment, data_dir=folder / "data", state=state)
        root.init()
        root.apply()
        outputs = root.output()
        yield Stage(aws, root, watched(root.show_json()), outputs["packs"], outputs["ids"])
        root.destroy()
