"""The auditor, put together from its environment."""

from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.config import Settings
from job_runtime.directory import Directory
from job_runtime.dispatching import DispatchSettings, message_builder
from job_runtime.observe import observer
from job_runtime.write_offs import WriteOffs
from run_auditor.auditor import Auditor
from run_auditor.comparison import Ledger


def build(settings: Settings, clock: Clock) -> Auditor:
    """The auditor of one container; its environment is the dispatcher's.

    Raises ConfigurationError naming the variable that is missing or wrong.
    """
    dispatch = DispatchSettings.read(settings)
    return Auditor(
        settings=dispatch,
        dynamodb=aws.dynamodb(),
        sqs=aws.sqs(),
        directory=Directory(aws.dynamodb(), dispatch.directory_table, page_size=dispatch.page_size),
        ledger=Ledger(aws.dynamodb(), dispatch.job_table, dispatch.job),
        builder=message_builder(settings, dispatch),
        write_offs=WriteOffs(aws.dynamodb(), dispatch.job_table, dispatch.job, clock),
        observer=observer(settings),
        clock=clock,
    )
