"""Members of chaos look for their coordinator: which attempts count as signs of life."""

import asyncio
from random import Random

import pytest

from benchmarks.wire import Peer
from proof.chaos import network
from proof.chaos.network import Elsewhere, Network


class Scripted(Network):
    """The nodes that answer a look-up, after one that only accepts the connection."""

    looked_up = 0

    async def coordinator(self, group_id: str) -> str:
        """A suspended node, one that does not know, one that does."""
        self.looked_up += 1
        if self.looked_up == 1:
            return await super().coordinator(group_id)
        if self.looked_up == 2:
            raise Elsewhere
        return self.bootstraps[0]


async def test_a_look_up_counts_once_a_node_has_answered_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(network, "SEEK_S", 0.2)
    heard: list[int] = []
    accepted: list[asyncio.StreamWriter] = []
    silent = await asyncio.start_server(lambda _, writer: accepted.append(writer), "127.0.0.1")
    async with silent:
        port = silent.sockets[0].getsockname()[1]
        members = Scripted([f"127.0.0.1:{port}"], Random(1))
        peer = await members.reach("g", lambda: heard.append(members.looked_up))
        assert isinstance(peer, Peer)
        peer.close()
        for writer in accepted:
            writer.close()
    assert heard == [2, 3]
