"""A purge, where groups halt: what it takes away counts as settled."""

from pathlib import Path

from job_runtime.dead_letters import DeadLetterQueue
from job_runtime.halt import Halts
from job_runtime.quarantine import Reason
from job_runtime.write_offs import WriteOff, WriteOffs
from operations.dlq.archive import FileArchive
from operations.dlq.purging import Purge
from tests.support.clock import FakeClock
from tests.support.job import JOB_TABLE, Job

GROUP = "t1#2026-11"


def test_a_purged_message_that_sqs_moved_while_it_was_being_parked_holds_up_no_release(
    job: Job, clock: FakeClock, tmp_path: Path
) -> None:
    sent = job.sqs.send_message(
        QueueUrl=job.dlq_url, MessageBody="{}", MessageGroupId=GROUP, MessageDeduplicationId="moved"
    )
    halts = Halts(job.dynamodb, JOB_TABLE, "charge", clock)
    reason = Reason("rejected", "RejectedError", "rule", 1, None)
    halts.halt(GROUP, sent["MessageId"], f"{9:020}", reason)
    report = Purge(
        queue=DeadLetterQueue(job.sqs, job.dlq_url, wait_seconds=0),
        meant=lambda _letter: True,
        archive=FileArchive(tmp_path / "purged.jsonl"),
        write_offs=WriteOffs(job.dynamodb, JOB_TABLE, "charge", clock),
        write_off=WriteOff("left", "arn:aws:iam::111122223333:user/operator"),
        halts=halts,
    )()
    assert report.purged == 1
    assert halts.release(GROUP)
