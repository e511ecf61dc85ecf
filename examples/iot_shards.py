"""Connections to devices, in shards: a pod keeps its shards over a rolling restart.

A static member (KIP-345) has the name of its pod. When the pod is replaced it comes back within the
session timeout and has the same shards again, and nobody else's connections move.
``iot_shards.yaml`` is its StatefulSet.

    POD_NAME=gateway-0 python examples/iot_shards.py 127.0.0.1:9092
"""

import asyncio
import os
import sys

from rollcall.client import Work, worker


@worker("devices", group="gateways", protocol="classic", session_timeout_ms=120_000)
async def serve(work: Work) -> None:
    """Hold the connections of one shard of devices."""
    shard = work.partition.partition
    print("connect", shard, flush=True)
    try:
        await asyncio.Event().wait()  # the connections
    finally:
        print("disconnect", shard, flush=True)


if __name__ == "__main__":
    serve.main(bootstrap=sys.argv[1], instance_id=os.environ["POD_NAME"])
