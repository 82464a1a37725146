"""The alert channel, applied on a local AWS with IAM enforced, and a Slack that stands in."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from local.slack_stub import TOKEN, Message, SlackStub
from tests.support.limits import HANG_SECONDS
from tests.support.roles import eventually
from tests.terraform.conftest import attached_to
from tests.terraform.modules import MODULES, REPOSITORY

NAME = "alerts"
PARAMETER = "/alerts/slack"
LOG_GROUP = "/aws/lambda/prod-charge-consumer"
CHANNELS = {"critical": "C0CRITICAL", "warning": "C0WARNING", "info": "C0INFO"}


@dataclass
class Channel:
    """The applied channel. `topics`: ARNs by severity."""

    aws: Emulator
    slack: SlackStub
    topics: dict[str, str]
    package: Path

    def publish(self, *bodies: str, severity: str = "critical") -> None:
        """What CloudWatch would publish."""
        for body in bodies:
            self.aws.client("sns").publish(TopicArn=self.topics[severity], Message=body)

    def log(self, *lines: str) -> None:
        """Write lines into the log group that the channel listens to."""
        now = int(self.aws.alarm_clock().timestamp() * 1000)
        events = [{"timestamp": now, "message": line} for line in lines]
        self.aws.client("logs").put_log_events(
            logGroupName=LOG_GROUP, logStreamName="stream", logEvents=events
        )

    def message(self, text: str, seconds: float = HANG_SECONDS) -> Message:
        """The one message, no reply, that says `text`, once it is there."""
        found: list[Message] = []

        def said() -> bool:
            found[:] = [message for message in self.slack.incidents() if text in message.text]
            return bool(found)

        assert eventually(said, seconds), f"nobody said {text}: {[m.text for m in self.slack.messages]}"
        assert len(found) == 1
        return found[0]

    def settled(self) -> None:
        """Wait until the notifier's queue is empty."""
        assert eventually(lambda: not self.aws.peek(f"{NAME}-notifier"), 20)

    def new_container(self) -> None:
        """Nothing stays in the function's memory."""
        functions, name = self.aws.client("lambda"), f"{NAME}-notifier"
        functions.update_function_code(FunctionName=name, ZipFile=self.package.read_bytes())


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    subprocess.run([sys.executable, "-m", "zips", "--to", str(folder)], cwd=REPOSITORY, check=True)
    return folder / "alarm_notifier.zip"


@pytest.fixture(scope="module")
def channel(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Channel]:
    """On a local AWS of its own: ended with all that is in it, which is quicker than a destroy."""
    folder = tmp_path_factory.mktemp("channel")
    shutil.copytree(MODULES, folder / "modules")
    with (
        SlackStub() as slack,
        Emulator.start(log=folder / "log") as aws,
        attached_to(aws) as environment,
    ):
        aws.client("ssm").put_parameter(
            Name=PARAMETER, Value=json.dumps({"token": TOKEN}), Type="SecureString"
        )
        logs = aws.client("logs")
        logs.create_log_group(logGroupName=LOG_GROUP)
        logs.create_log_stream(logGroupName=LOG_GROUP, logStreamName="stream")
        arguments: dict[str, Any] = {
            "source": "./modules/alert-channel",
            "name": NAME,
            "environment": "local",
            "slack": {
                "package": str(package),
                "credentials": {"ssm_parameter_name": PARAMETER},
                "channels": CHANNELS,
                "api_url": slack.api,
                "quiet_seconds": 2,
            },
            "log_groups": {"consumer": LOG_GROUP},
        }
        (folder / "main.tf.json").write_text(
            json.dumps(
                {"module": {"alerts": arguments}, "output": {"topics": {"value": "${module.alerts.topics}"}}}
            ),
            encoding="utf-8",
        )
        provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
        (folder / "provider.tf").write_text(provider, encoding="utf-8")
        root = Terraform(
            folder, environment, data_dir=folder / "terraform", state=folder / "terraform.tfstate"
        )
        root.init()
        root.apply()
        topics = root.show_json()["values"]["outputs"]["topics"]["value"]
        yield Channel(aws, slack, topics, package)
