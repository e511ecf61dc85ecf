"""When a group is served, whatever its members' clients do: a heartbeat of nobody for each group to
each node ten times a second, over TLS. The node that knows that there is no such member serves."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread

from groups.core.errors import ErrorCode
from proof.chaos.probe import EVERY_S, PATIENCE_S, Served
from rollcall.client import security
from rollcall.client.connection import Connection
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from tests.hosts.site import PORT, Site


class Probing(Thread):
    """``served`` grows until ``stop``; times are of ``time.monotonic``."""

    def __init__(self, site: Site, groups: Sequence[str]) -> None:
        super().__init__(daemon=True)
        self.served = Served({group: [] for group in groups}, {group: [] for group in groups})
        self._addresses = [host.address for host in site.hosts.values()]
        files = {"ssl_certfile": str(site.client), "ssl_cafile": str(site.authority)}
        options, _ = security.taken({"security_protocol": "SSL", **files})
        self._security = security.of(options)
        self._loop = asyncio.new_event_loop()

    def run(self) -> None:
        self._loop.run_until_complete(self._all())

    def stop(self) -> None:
        """End it, whatever it waits for."""
        self._loop.call_soon_threadsafe(lambda: [t.cancel() for t in asyncio.all_tasks(self._loop)])
        self.join(10)

    async def _all(self) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*(self._node(address) for address in self._addresses))

    async def _node(self, address: str) -> None:
        while True:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    connection = await Connection.open(address, PORT, "probe", self._security)
                try:
                    await self._ask(connection, address)
                finally:
                    connection.close()
            await asyncio.sleep(EVERY_S)

    async def _ask(self, connection: Connection, address: str) -> None:
        while True:
            for group in self.served.at:
                nobody = HeartbeatRequest(group_id=group, generation_id=1, member_id="nobody")
                answer = await connection.call(nobody, PATIENCE_S)
                if answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID:
                    self.served.at[group].append(time.monotonic())
                    self.served.by[group].append(address)
            await asyncio.sleep(EVERY_S)
