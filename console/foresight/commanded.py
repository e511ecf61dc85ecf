"""What the coordinator would assign in a commanded group: ranges over the threads that consumers
offer."""

from collections.abc import Mapping, Sequence

from console.foresight.foresight import MOVING, Accuracy, Rules, Scene, Seat, Software
from groups.core import drains
from groups.core.assignors.types import Parts, Racks, Subscriber
from groups.core.commanded import thread_offers
from groups.core.commanded.assignment import deal
from groups.core.commanded.states import STABLE
from groups.core.commands import EXPELLED
from groups.core.rows import Durable, MemberRow


def _assign(seats: Sequence[Seat], counts: Mapping[str, int], _racks: Racks) -> Mapping[str, Parts]:
    dealt = deal({seat.member_id: seat.threads for seat in seats}, counts)
    return {member_id: frozenset(owned) for member_id, owned in dealt.items()}


def scene(durable: Durable, counts: Mapping[str, int], _racks: Racks, _software: Software) -> Scene:
    """The group as its rows describe it; ``counts`` by topic name. An expelled consumer is none of
    its members."""
    group = durable.group
    matches = group.details.get("matches") or {}
    found = Scene(
        group.kind,
        thread_offers.STRATEGY,
        [_seat(r, matches) for r in durable.members.values() if EXPELLED not in r.details],
        counts,
        _assign,
        Accuracy.EXACT,
        stops=True,
        assignors={thread_offers.STRATEGY: Rules(_assign, Accuracy.EXACT, stops=True)},
    )
    return found if group.state == STABLE else found.doubts(Accuracy.ESTIMATED, MOVING)


def _seat(row: MemberRow, matches: thread_offers.Matches) -> Seat:
    threads = {topic: n for topic, n in thread_offers.threads_of(row, matches).items() if n}
    held = thread_offers.parts_in(row)
    seen = Subscriber(row.member_id, row.instance_id, frozenset(threads), held)
    is_drained = drains.of(row) is not None
    return Seat(seen, row.client_id, row.client_host, row.session_timeout_ms, is_drained, threads)
