"""DescribeLogDirs (35): one directory without partitions. There are no logs
(docs/decisions/0001-no-log.md).

Consoles ask for the sizes of all partitions when they start or list topics, and some show an error
instead of topics where a broker does not know the request. Java's client takes a broker without any
directory for one that refuses it.
"""

from protocol.requests.call import Call
from rollcall.wire.messages.describe_log_dirs import (
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)

NO_LOGS = "no-logs"


async def handle(request: DescribeLogDirsRequest, call: Call) -> DescribeLogDirsResponse:
    """Whatever partitions are asked for: none has a log here, nor another one under way."""
    return DescribeLogDirsResponse(results=[DescribeLogDirsResult(log_dir=NO_LOGS)])
