"""The dispatcher, put together from its environment."""

from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.config import Settings
from job_runtime.directory import Directory
from job_runtime.dispatching import DispatchSettings, message_builder
from job_runtime.observe import observer
from monthly_dispatcher.dispatcher import Dispatcher


def build(settings: Settings, clock: Clock) -> Dispatcher:
    """The dispatcher of one container; JOB_NAME says which job it serves.

    Raises ConfigurationError naming the variable that is missing or wrong.
    """
    dispatch = DispatchSettings.read(settings)
    return Dispatcher(
        settings=dispatch,
        dynamodb=aws.dynamodb(),
        sqs=aws.sqs(),
        directory=Directory(aws.dynamodb(), dispatch.directory_table, page_size=dispatch.page_size),
        builder=message_builder(settings, dispatch),
        observer=observer(settings),
        clock=clock,
    )
