"""`python -m local.dashboards`: record what a dashboard shows, or draw a recording."""

import argparse
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from local.dashboards.recording import Recording


def main() -> None:
    """Run the command that is given."""
    parser = argparse.ArgumentParser(prog="python -m local.dashboards", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="ask CloudWatch, with the credentials of the environment")
    record.add_argument("name", help="name of the dashboard")
    record.add_argument("file", type=Path)
    record.add_argument("--minutes", type=int, default=720, help="how far back (default: 720)")
    play = commands.add_parser("play", help="play a month-end on a local AWS of its own, and record it")
    play.add_argument("file", type=Path)
    draw = commands.add_parser("draw", help="draw a recording as PNG or SVG, by the picture's suffix")
    draw.add_argument("file", type=Path)
    draw.add_argument("picture", type=Path)
    given = parser.parse_args()
    match given.command:
        case "record":
            _record(given.name, given.file, given.minutes)
        case "play":
            _play(given.file)
        case _:
            _draw(given.file, given.picture)


def _record(name: str, file: Path, minutes: int) -> None:
    import boto3  # noqa: PLC0415 - drawing does without

    end = datetime.now(UTC).replace(second=0, microsecond=0)
    client = boto3.client("cloudwatch")
    Recording.make(client, name, end - timedelta(minutes=minutes), end).save(file)


def _play(file: Path) -> None:
    # Drawing does without.
    from local.dashboards.played import CONSUMER_SECONDS, NAME, play  # noqa: PLC0415
    from local.demo.deployment import terraform  # noqa: PLC0415
    from local.emulator import Emulator  # noqa: PLC0415
    from local.emulator.process import terminating_on_signals  # noqa: PLC0415

    with terminating_on_signals(), TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with (
            Emulator.start(log=folder / "emulator.log") as aws,
            terraform(aws, "stand-in", folder, {}) as root,
        ):
            root.init()
            root.apply()
            start, end = play(aws, NAME, CONSUMER_SECONDS)
            Recording.make(aws.client("cloudwatch"), NAME, start, end).save(file)


def _draw(file: Path, picture: Path) -> None:
    from local.dashboards.drawing import draw  # noqa: PLC0415 - recording does without matplotlib

    draw(Recording.load(file), picture)


if __name__ == "__main__":
    main()
