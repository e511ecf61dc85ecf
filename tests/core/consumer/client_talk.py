"""A conversation with a group whose members assign (``talk``, and what they need for it)."""

from collections.abc import Mapping
from typing import Any

from groups.core import events
from groups.core.assignors.client_side import ClientAssignor
from groups.core.errors import ErrorCode
from groups.core.replies import Installed, Prepared
from tests.core.consumer.talk import Client, Parts, Talk

MINE = (ClientAssignor("mine"),)
TIMEOUT_MS = 5_000

Shares = Mapping[str, Parts]


class ClientTalk(Talk):
    """A group whose members can assign: each says so when it joins."""

    def __init__(self, topics: Mapping[str, int] | None = None, **rules: Any) -> None:
        super().__init__({"foo": 4} if topics is None else topics, **rules)

    def able(
        self, member_id: str, said: tuple[ClientAssignor, ...] = MINE, **over: Any
    ) -> tuple[Client, bool]:
        """A member that can run these joins; it, and whether it is asked to assign."""
        client = Client(member_id, ("foo",), over.pop("instance_id", None), said=said)
        assert self.beat(client, **over).error is ErrorCode.NONE
        return client, client.is_asked

    def prepare(self, client: Client, **over: Any) -> Prepared:
        said = {"member_id": client.member_id, "member_epoch": client.epoch, **over}
        reply = self.ask(events.PrepareAssignment(**said))
        assert isinstance(reply, Prepared)
        return reply

    def install(self, client: Client, epoch: int, shares: Shares, **over: Any) -> Installed:
        said: dict[str, Any] = {
            "member_id": client.member_id,
            "member_epoch": client.epoch,
            "group_epoch": epoch,
            "targets": {
                member: frozenset((f"id-{topic}", p) for topic in parts for p in parts[topic])
                for member, parts in shares.items()
            },
        }
        reply = self.ask(events.InstallAssignment(**{**said, **over}))
        assert isinstance(reply, Installed)
        return reply

    def assign(self, client: Client, shares: Shares) -> None:
        """An honest member does as told."""
        epoch = self.prepare(client).group_epoch
        assert self.install(client, epoch, shares) == Installed()

    def fail(self, client: Client, why: str) -> None:
        """An honest member whose assignor raised."""
        epoch = self.prepare(client).group_epoch
        assert self.install(client, epoch, {}, failure=why) == Installed()

    def is_asked(self, client: Client) -> bool:
        return self.beat(client).should_assign

    def trio(self) -> tuple[Client, Client, Client]:
        """Three members at rest; the first has assigned all of it to itself."""
        one, asked = self.able("a")
        assert asked
        self.assign(one, {"a": {"foo": [0, 1, 2, 3]}})
        self.obey(one)
        two, _ = self.able("b")
        three, _ = self.able("c")
        self.assign(two, {"a": {"foo": [0, 1]}, "b": {"foo": [2]}, "c": {"foo": [3]}})
        self.converge(one, two, three)
        return one, two, three

    @property
    def facts(self) -> Mapping[str, Any]:
        return self.group.durable.group.details

    def reasons(self, kind: str) -> list[str]:
        return [entry.reason for entry in self.journal if entry.kind == kind]
