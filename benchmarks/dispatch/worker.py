"""One invocation of the dispatcher in a process of its own, so that it can be killed."""

import json
import sys

from benchmarks.dispatch.job import FIRED, Invocation
from monthly_dispatcher.handler import handler

if __name__ == "__main__":
    print(json.dumps(handler(FIRED, Invocation(sys.argv[1]))))
