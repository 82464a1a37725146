"""What an apply takes away has to be named, thing by thing; a destroy names the environment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from deploy import consent, losses
from deploy.change import carry_out
from deploy.losses import Loss, NoAddress, Unnamed, addresses
from deploy.offline import provider_block
from deploy.plan import PlanFiles
from deploy.request import WrongUse, parse
from deploy.terraform import Terraform, stand_in
from local.emulator import Emulator
from tests.deploy.conftest import Terminal

QUEUE, LOGS, ALARM = (
    "aws_sqs_queue.charge",
    "aws_cloudwatch_log_group.charge",
    "aws_cloudwatch_metric_alarm.missing",
)
_ROOT = """
resource "aws_sqs_queue" "{label}" {{
  name = "{queue}"
}}

resource "aws_cloudwatch_log_group" "charge" {{
  name = "/aws/lambda/{name}"
}}

resource "aws_cloudwatch_metric_alarm" "missing" {{
  alarm_name          = "{name}-job-run-missing"
  alarm_description   = "A run is missing.\\n\\nseverity: critical"
  namespace           = "fanout"
  metric_name         = "RunMissing"
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
}}
"""
_MOVED = "moved {\n  from = aws_sqs_queue.charge\n  to   = aws_sqs_queue.billing\n}\n"
_FORGOTTEN = "removed {\n  from = aws_sqs_queue.charge\n  lifecycle {\n    destroy = false\n  }\n}\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ()),
        (f" {QUEUE}\n {LOGS} ", (QUEUE, LOGS)),
        (
            'module.job["charge"].aws_sqs_queue.this[0] module.a["two words"].aws_kms_key.b',
            ('module.job["charge"].aws_sqs_queue.this[0]', 'module.a["two words"].aws_kms_key.b'),
        ),
        (r'module.a["a \" ] b"].aws_sqs_queue.this', (r'module.a["a \" ] b"].aws_sqs_queue.this',)),
    ],
)
def test_addresses_are_read_as_the_plan_shows_them(text: str, found: tuple[str, ...]) -> None:
    assert addresses(text) == found


@pytest.mark.parametrize("text", ["module.job[charge].aws_sqs_queue.this", 'a["b', "a]"])
def test_what_the_shell_has_taken_quotes_from_is_refused(text: str) -> None:
    with pytest.raises(NoAddress, match="single quotes"):
        addresses(text)
    with pytest.raises(WrongUse, match="single quotes"):
        parse(["apply", "dev", "--lose", text])


@pytest.mark.parametrize("verb", ["plan", "destroy"])
def test_only_an_apply_takes_names(verb: str) -> None:
    with pytest.raises(WrongUse, match="LOSE is for apply"):
        parse([verb, "dev", "--lose", QUEUE])


class Environment:
    """A root on the local AWS, applied, with a queue, a log group and a critical alarm of one name."""

    def __init__(self, folder: Path, endpoint: str, environment: dict[str, str]) -> None:
        self.root, self._folder = folder / "root", folder
        self.root.mkdir()
        provider = provider_block(endpoint, {"region": '"ap-northeast-1"'})
        (self.root / "provider.tf").write_text(provider, encoding="utf-8")
        self.terraform = Terraform(self.root, environment, data_dir=folder / "data")
        self.write("charge")
        self.terraform.init()
        self.terraform.apply()

    def write(self, name: str, label: str = "charge", more: str = "", queue: str = "") -> None:
        """Write the root's resources: their name, the queue's label and own name, and further blocks."""
        text = _ROOT.format(name=name, label=label, queue=queue or name) + more
        (self.root / "main.tf").write_text(text, encoding="utf-8")

    def queue(self) -> object:
        """The name of the queue that there is."""
        resources = self.terraform.show_json()["values"]["root_module"]["resources"]
        return next(r["values"]["name"] for r in resources if r["type"] == "aws_sqs_queue")

    def change(self, *arguments: str) -> bool:
        """`apply dev` or another verb with nobody at a terminal, this root in the place of envs/dev."""
        verb, *given = arguments
        request = parse([verb, "dev", "--consent", "dev", *given])
        console = Console(width=1000)
        return carry_out(
            self.terraform,
            PlanFiles.of(self._folder / "plans", "dev"),
            f"{verb} dev",
            console,
            lambda found: consent.given(request, found, console),
            *(["-destroy"] if verb == "destroy" else []),
        )


@pytest.fixture
def applied(tmp_path: Path) -> Iterator[Environment]:
    with Emulator.start(log=tmp_path / "log") as aws, stand_in(aws.credentials_env()) as environment:
        yield Environment(tmp_path, aws.endpoint, dict(environment))


@pytest.mark.terraform
@pytest.mark.emulator
class TestApply:
    """Against the local AWS, as Terraform plans it."""

    def test_what_is_replaced_is_refused_until_each_of_it_is_named(
        self, applied: Environment, capsys: pytest.CaptureFixture[str]
    ) -> None:
        applied.write("billing")

        with pytest.raises(Unnamed) as refused:
            applied.change("apply")
        for address in (QUEUE, LOGS, ALARM):
            assert f"  {address}: it is replaced" in str(refused.value)

        assert f"  {QUEUE}: it is replaced: the messages in it" in capsys.readouterr().out

        with pytest.raises(Unnamed) as refused:
            applied.change("apply", "--lose", f"{QUEUE} {LOGS}")
        assert ALARM in str(refused.value)
        assert QUEUE not in str(refused.value)

        with pytest.raises(Unnamed, match=r"does not take away: aws_sqs_queue\.chrage"):
            applied.change("apply", "--lose", f"{QUEUE} {LOGS} {ALARM} aws_sqs_queue.chrage")
        assert applied.queue() == "charge"

        assert applied.change("apply", "--lose", f"{QUEUE} {LOGS} {ALARM}")
        assert applied.queue() == "billing"

    def test_waiver_names_what_its_rule_and_whole_address_say(self, applied: Environment) -> None:
        # Another name as well: of one name, the new queue could be the one that is deleted.
        applied.write("charge", label="billing", queue="billing")
        waivers = applied.root / "waivers.toml"

        def waive(address: str, rule: str = "FO701", expires: str = "2999-12-31") -> None:
            waivers.write_text(
                f'[[waiver]]\nrule = "{rule}"\naddress = "{address}"\nreason = "Drained."\n'
                f'owner = "billing"\nexpires = {expires}\n',
                encoding="utf-8",
            )

        for address, rule in (("aws_sqs_queue.*", "FO701"), (LOGS, "FO701"), (QUEUE, "FO702")):
            waive(address, rule)
            with pytest.raises(Unnamed, match=QUEUE):
                applied.change("apply", "--waivers", str(waivers))
        waive(QUEUE, expires="2020-01-01")
        with pytest.raises(Unnamed, match="expired"):
            applied.change("apply", "--waivers", str(waivers))
        waive(QUEUE)
        assert applied.change("apply", "--waivers", str(waivers))

    def test_moved_and_forgotten_resources_need_no_name(self, applied: Environment) -> None:
        applied.write("charge", label="billing", more=_MOVED)
        assert applied.change("apply")
        applied.write("charge", label="other", more=_FORGOTTEN.replace(".charge", ".billing"), queue="other")
        assert applied.change("apply")

    def test_destroy_lists_it_and_names_the_environment(
        self, applied: Environment, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert applied.change("destroy")
        shown = capsys.readouterr().out
        assert f"  {QUEUE}: it is deleted: the messages in it" in shown
        assert applied.terraform.resources() == []


_ASK = """
import fcntl, sys, termios
from rich.console import Console
from deploy import consent
from deploy.losses import Loss
from deploy.request import parse

fcntl.ioctl(0, termios.TIOCSCTTY, 0)
found = [Loss("FO701", address, "gone") for address in sys.argv[2].split()]
request = parse(["apply", "dev", *sys.argv[3:]])
sys.exit(0 if consent.given(request, found, Console()) else 1)
"""


@pytest.fixture
def asked() -> Iterator[Callable[..., Terminal]]:
    """`asked(losses, *options)`: somebody at a terminal is asked to let these go."""
    opened: list[Terminal] = []

    def start(found: str, *options: str) -> Terminal:
        opened.append(Terminal([sys.executable, "-c", _ASK, "", found, *options]))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def test_at_a_terminal_each_is_typed_and_then_the_word(asked: Callable[..., Terminal]) -> None:
    terminal = asked(f"{QUEUE} {LOGS}")
    terminal.await_text(f"let {QUEUE} go")
    terminal.press(f"{QUEUE}\n")
    terminal.await_text(f"let {LOGS} go")
    terminal.press(f"{LOGS}\n")
    terminal.await_text("goes on: ")
    terminal.press("yes\n")

    assert terminal.end() == 0


@pytest.mark.parametrize(
    "typed", ["yes\n", "\n", f"{LOGS}\n", "\x04"], ids=["yes", "nothing", "other", "end"]
)
def test_another_word_than_the_address_lets_nothing_go(typed: str, asked: Callable[..., Terminal]) -> None:
    terminal = asked(f"{QUEUE} {LOGS}")
    terminal.await_text("address: ")
    terminal.press(typed)

    assert terminal.end() == 1
    assert "goes on: " not in terminal.text


def test_what_was_named_beforehand_is_not_asked_again(asked: Callable[..., Terminal]) -> None:
    terminal = asked(f"{QUEUE} {LOGS}", "--lose", QUEUE)
    terminal.await_text(f"let {LOGS} go")

    assert f"let {QUEUE} go" not in terminal.text


def test_undecided_answer_counts_as_a_loss() -> None:
    """An alarm of which nothing says how grave it is may be the critical one."""
    alarm = {
        "address": ALARM,
        "mode": "managed",
        "type": "aws_cloudwatch_metric_alarm",
        "name": "missing",
        "change": {
            "actions": ["delete"],
            "before": {"alarm_name": "x", "alarm_actions": ["arn:aws:sns:r:111122223333:alerts"]},
            "after": None,
            "after_unknown": {},
        },
    }
    (found,) = losses.losses({"format_version": "1.2", "resource_changes": [alarm]})

    assert isinstance(found, Loss)
    assert found.address == ALARM
