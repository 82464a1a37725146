"""The Lambda entry of the dispatcher; JOB_NAME says which job it serves."""

import os

from job_runtime import aws
from job_runtime.clock import Clock, SystemClock
from job_runtime.config import Settings
from job_runtime.directory import Directory
from job_runtime.dispatching import DispatchSettings
from job_runtime.observe import observer
from job_runtime.outbox import MessageBuilder
from monthly_dispatcher.dispatcher import Dispatcher


def build(settings: Settings, clock: Clock) -> Dispatcher:
    """The dispatcher, from its environment.

    Raises ConfigurationError naming the variable that is missing or wrong.
    """
    dispatch = DispatchSettings.read(settings)
    return Dispatcher(
        settings=dispatch,
        directory=Directory(aws.dynamodb(), dispatch.directory_table, page_size=dispatch.page_size),
        builder=MessageBuilder(dispatch.job, dispatch.scope),
        observer=observer(settings),
        clock=clock,
    )


handler = build(Settings(os.environ), SystemClock())
"""`handler(event, context)`: one firing of the schedule, or the continuation of one."""
