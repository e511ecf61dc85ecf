"""Reconciliation: how one member gets from its current to its target assignment (KIP-848).

Pure arithmetic on one member. A partition is free if no member holds it; a member first revokes
what it must, then gets free partitions, then waits for the others.
"""

from collections.abc import Callable

from groups.core.assignors.types import NOTHING, Part, Parts
from groups.core.consumer.member import STABLE, UNRELEASED, UNREVOKED, Member
from groups.core.values import replaced

IsFree = Callable[[Part], bool]


def reconcile(
    member: Member,
    target_epoch: int,
    owned: Parts | None,
    is_free: IsFree,
    subscribed: frozenset[str] | None = None,
) -> Member:
    """The member after one heartbeat; the same object if nothing changes.

    ``owned`` are the partitions in the request, None if it has none: that is never an
    acknowledgement. ``subscribed``: the ids of its topics, if the request has changed them.
    """
    # In the target's epoch it has everything, unless the target has since lost topics that the
    # member unsubscribed from (KIP-1263): that needs no new target.
    has_all = member.epoch == target_epoch and len(member.assigned) <= len(member.target)
    if member.state == STABLE and has_all:
        return member
    if member.state == UNREVOKED and (owned is None or owned & member.revoking):
        return member if subscribed is None else _turned_away(member, subscribed, target_epoch)
    target = member.target
    keep = member.assigned & target
    revoke = member.assigned - keep
    if revoke and (owned is None or owned & revoke):
        # It stays in its epoch, however often it must revoke more (Kafka 4.3; earlier versions
        # counted).
        return _moved(member, member.epoch, UNREVOKED, keep, revoke, target_epoch)
    missing = target - keep
    free = frozenset(part for part in missing if is_free(part))
    state = UNRELEASED if missing - free else STABLE
    return _moved(member, target_epoch, state, keep | free, NOTHING, target_epoch)


def _turned_away(member: Member, subscribed: frozenset[str], target_epoch: int) -> Member:
    """It must also revoke the topics that it has just unsubscribed from, before anything else."""
    keep = frozenset(part for part in member.assigned if part[0] in subscribed)
    revoke = member.revoking | (member.assigned - keep)
    return _moved(member, member.epoch, UNREVOKED, keep, revoke, target_epoch)


def _moved(
    member: Member, epoch: int, state: str, assigned: Parts, revoking: Parts, target_epoch: int
) -> Member:
    same = (epoch, state, assigned, revoking)
    if same == (member.epoch, member.state, member.assigned, member.revoking):
        # Its request has its current epoch, so no reply was lost: the previous epoch is not needed.
        is_over = state != UNREVOKED and member.previous_epoch != epoch
        return replaced(member, previous_epoch=epoch) if is_over else member
    since = member.since or {}
    had = (member.assigned & assigned) | revoking
    return replaced(
        member,
        epoch=epoch,
        previous_epoch=member.epoch,
        state=state,
        assigned=assigned,
        revoking=revoking,
        # KIP-1251: commits are valid from the epoch at which the partition was assigned, until it
        # is revoked. One that was revoked and assigned again starts anew.
        since={p: since[p] if p in had else target_epoch for p in assigned | revoking},
    )
