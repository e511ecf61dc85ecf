"""Saboteurs of the groups' rules: fencing, removal of members, assignment."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from groups.core import offset_rules
from groups.core.classic import join, offsets, sync, timers
from groups.core.classic.live import HeldSync
from groups.core.classic.work import Work
from groups.core.consumer import group as consumer_group
from groups.core.consumer import heartbeat as consumer_heartbeat
from groups.core.consumer import offsets as consumer_offsets
from groups.core.consumer.index import Index
from groups.core.consumer.work import Work as ConsumerWork
from groups.core.errors import ErrorCode, Refuse
from groups.core.group import HeartbeatView
from proof.saboteurs.breaking import (
    LATE,
    STATICS,
    Saboteur,
    always,
    around,
    no_error,
    nothing,
    put,
    several,
)

IMPATIENCE_MS: Final = 3_500


def _no_instances(self: Work, member_id: str, instance_id: str | None) -> None:
    if instance_id is None and not self.has(member_id):
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


def _any_instance(original: Any) -> Any:
    def beat(
        self: HeartbeatView, member_id: str, instance_id: Any, generation_id: int, now: int
    ) -> Any:
        if instance_id is not None:
            return self.code
        return original(self, member_id, instance_id, generation_id, now)

    return beat


def _old_generations(original: Any) -> Any:
    def beat(
        self: HeartbeatView, member_id: str, instance_id: Any, generation_id: int, now: int
    ) -> Any:
        code = original(self, member_id, instance_id, generation_id, now)
        return self.code if code is ErrorCode.ILLEGAL_GENERATION else code

    return beat


def _released(original: Any) -> Callable[..., Any]:
    """A static member that joins replaces one that is still working."""

    def joined(work: Any, event: Any) -> Any:
        holder = work.holder(event.instance_id) if event.instance_id is not None else None
        if holder is not None and holder.row.member_id != event.member_id:
            return consumer_heartbeat._come_back(work, event, holder)
        return original(work, event)

    return joined


def _found_anyway(original: Any) -> Callable[..., Any]:
    def found(work: Any, event: Any) -> Any:
        holder = work.holder(event.instance_id) if event.instance_id is not None else None
        return holder or original(work, event)

    return found


def _unnoticed(self: Index, before: Any, after: Any) -> None:
    for part in before.holds if before is not None else ():
        self.holders.pop(part, None)
    for part in after.holds if after is not None else ():
        self.holders[part] = after.row.member_id


def _everything(work: Any, event: Any) -> Any:
    return [(age.topic, age.partition) for age in event.ages]


def _forget_older(work: Work, event: Any) -> None:
    work.change().syncs[event.member_id] = HeldSync(event.ticket, work.now)
    sync._synced(work, event.member_id)


def _impatient(original: Any) -> Callable[..., Any]:
    def silent(work: Work) -> Iterator[Any]:
        now, work.now = work.now, work.now + IMPATIENCE_MS
        found = list(original(work))
        work.now = now
        return iter(found)

    return silent


SABOTEURS: Final[Mapping[str, Saboteur]] = {
    "any-generation": Saboteur(
        "commits are not checked against member and generation",
        several(put(offsets, "verdict", no_error), put(consumer_offsets, "verdict", no_error)),
        LATE,
    ),
    "epochs-unchecked": Saboteur(
        "a member of a consumer group may commit with any epoch",
        put(consumer_offsets, "_is_current", always),
        LATE,
    ),
    "beats-unchecked": Saboteur(
        "a member of a consumer group may beat with any epoch",
        put(consumer_heartbeat, "_check_epoch", nothing),
        ("client-late", "client-leave", "client-crash", "operator-rebalance"),
    ),
    "member-id-reuse": Saboteur(
        "a member id is its client's or instance's name, and not new",
        put(join, "new_member_id", lambda prefix, rng: f"{prefix}-1"),
        STATICS,
    ),
    "no-static-fencing": Saboteur(
        "a replaced static member goes on",
        several(
            put(Work, "member_or_refuse", _no_instances),
            around(HeartbeatView, "heartbeat", _any_instance),
        ),
        STATICS,
    ),
    "static-beside-static": Saboteur(
        "two members of a consumer group share an instance id, and both go on",
        several(
            around(consumer_heartbeat, "_join", _released),
            around(consumer_heartbeat, "_find", _found_anyway),
        ),
        STATICS,
    ),
    "sweep-takes-all": Saboteur(
        "retention deletes offsets of a group with members",
        put(offset_rules, "_overdue", _everything),
        ("sweep-offsets", "client-crash"),
    ),
    "superseded-forgotten": Saboteur(
        "a sync that was asked again leaves the first without an answer",
        put(sync, "_hold", _forget_older),
        ("network-duplicates", "client-crash", "operator-rebalance"),
    ),
    "old-generation-beats": Saboteur(
        "a heartbeat of an old generation is told to go on",
        around(HeartbeatView, "heartbeat", _old_generations),
        LATE,
    ),
    "impatient": Saboteur(
        "sessions end before their time",
        around(timers, "_silent", _impatient),
        ("client-pause", "node-stall", "network-slow"),
    ),
    "given-twice": Saboteur(
        "a consumer group gives out what another member still holds, and does not notice",
        several(
            put(ConsumerWork, "is_free_for", lambda self, member_id: always),
            put(Index, "_hold", _unnoticed),
            put(consumer_group, "check_change", nothing),
        ),
        ("client-crash", "client-leave"),
    ),
}
