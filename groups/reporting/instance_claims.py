"""Instance ids that two workers use: noted when a claim is refused or replaces a member, and
written to the journal in one entry for many.

A request costs no row. The number of instances in memory is limited; what a node forgets when it
ends, its successor counts anew.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from psycopg_pool import AsyncConnectionPool

from groups.core.group import Group, JournalEntry, Millis
from groups.core.instance_claims import FORGET_MS, Claims, How, Party, party
from groups.core.journal import EntryKind
from groups.core.rows import MemberRow
from groups.postgres import connections
from groups.postgres.repeated import repeat
from groups.runtime.runtime import CoordinatorRuntime
from groups.store import records

logger = logging.getLogger(__name__)

LOOK_S: Final = 1.0

INSTANCES_MAX: Final = 1_000
"""Instances in memory: of more, those that were claimed longest ago are forgotten."""

ENTRIES_MAX: Final = 50
"""Entries of one look."""

Pool = AsyncConnectionPool[connections.Connection]
Key = tuple[str, str]


class InstanceClaims:
    """The claims of this node's groups, by group and instance id, the oldest first. ``counts`` are
    for Prometheus."""

    def __init__(self, coordinator: CoordinatorRuntime, node_id: int) -> None:
        self.coordinator = coordinator
        self.node_id = node_id
        self.counts: defaultdict[How, int] = defaultdict(int)
        self._claims: dict[Key, Claims] = {}

    def note(self, group_id: str, instance_id: str, how: How, claimant: Party) -> None:
        """A client claimed an instance id; without effect if no member has it."""
        found = self._holder(group_id, instance_id)
        if found is None:
            return
        self.counts[how] += 1
        group, holder = found
        now, key = self.coordinator.clock(), (group_id, instance_id)
        claims = self._claims.pop(key, None) or Claims(now, now)
        self._claims[key] = claims
        proves = how is How.FENCED or (how is How.REFUSED and _heard(group, holder) > claims.since)
        parties = (party(holder.client_id, holder.client_host), claimant)
        claims.add(how, parties, now, proves=proves)
        if len(self._claims) > INSTANCES_MAX:
            del self._claims[next(iter(self._claims))]

    def _holder(self, group_id: str, instance_id: str) -> tuple[Group, MemberRow] | None:
        view, group = (
            self.coordinator.heartbeat_views.get(group_id),
            self.coordinator.group(group_id),
        )
        if view is None or group is None:
            return None
        member = group.durable.members.get(view.instances.get(instance_id, ""))
        return None if member is None else (group, member)

    async def run(self, pool: Pool) -> None:
        """Write what is due to the journal, until cancelled."""
        await repeat(LOOK_S, partial(self.write, pool))

    async def write(self, pool: Pool) -> None:
        """Write what is due now; what fails is due again."""
        now = self.coordinator.clock()
        self._forget(now)
        due = [key for key, claims in self._claims.items() if claims.is_due(now)][:ENTRIES_MAX]
        lines = [line for key in due if (line := self._line(key)) is not None]
        if not lines or not self.coordinator.holds_lease:
            return
        statement, values = records.lines(lines, self.node_id)
        async with pool.connection() as connection:
            await connection.execute(statement.encode(), values)
        for line in lines:
            self._noted(line, now)

    def _noted(self, line: records.Line, now: Millis) -> None:
        details = line.entry.details
        claims = self._claims.get((line.group_id, details["instance"]))
        if claims is not None:
            claims.noted_at = now
        logger.warning("two workers use one instance id", extra={"group": line.group_id, **details})
        self.coordinator.changes.note(line.group_id, line.revision)

    def _forget(self, now: Millis) -> None:
        for key in list(self._over(now)):
            del self._claims[key]

    def _over(self, now: Millis) -> Iterator[Key]:
        """Those that ended, and those of groups that another node owns."""
        for (group_id, instance_id), claims in self._claims.items():
            if now - claims.last > FORGET_MS or not self.coordinator.owns(group_id):
                yield group_id, instance_id

    def _line(self, key: Key) -> records.Line | None:
        found = self._holder(*key)
        if found is None:
            return None
        group, holder = found
        entry = JournalEntry(
            EntryKind.INSTANCE_TAKEN,
            member_id=holder.member_id,
            client_id=holder.client_id,
            generation_before=group.durable.group.generation,
            generation_after=group.durable.group.generation,
            details=_details(
                key[1], party(holder.client_id, holder.client_host), self._claims[key]
            ),
        )
        return records.Line(key[0], group.durable.revision, entry)


def _details(instance_id: str, holder: Party, claims: Claims) -> Mapping[str, Any]:
    others = [one._asdict() for one in claims.parties if one != holder]
    return {
        "instance": instance_id,
        "holder": holder._asdict(),
        "others": others,
        "seconds": (claims.last - claims.since) // 1_000,
        **{how.value: count for how, count in claims.counts.items()},
    }


def _heard(group: Group, member: MemberRow) -> Millis:
    """When the member was last heard."""
    beat = group.live.beats.get(member.member_id)
    return 0 if beat is None else int(beat.at)
