"""Reconciliation: how one member comes from what it has to what it shall have (KIP-848).

Pure arithmetic on one member. A partition is free when no member holds it; a member first
gives up what it must, then is given what is free, then waits for the rest.
"""

from collections.abc import Callable
from dataclasses import replace

from groups.core.assignors.types import NOTHING, Part, Parts
from groups.core.consumer.member import STABLE, UNRELEASED, UNREVOKED, Member

IsFree = Callable[[Part], bool]


def reconcile(
    member: Member,
    target_epoch: int,
    owned: Parts | None,
    is_free: IsFree,
    subscribed: frozenset[str] | None = None,
) -> Member:
    """The member after one heartbeat; the very same value where nothing changes.

    ``owned`` is what the request says it works on, None where it does not say: that is
    never an acknowledgement. ``subscribed``: the ids of its topics, where the request has just
    changed them.
    """
    # At the target it has all of it, unless the target has since lost what the member no longer
    # subscribes to (KIP-1263): that goes without a new target.
    has_all = member.epoch == target_epoch and len(member.assigned) <= len(member.target)
    if member.state == STABLE and has_all:
        return member
    if member.state == UNREVOKED and (owned is None or owned & member.revoking):
        return member if subscribed is None else _turned_away(member, subscribed, target_epoch)
    target = member.target
    keep = member.assigned & target
    revoke = member.assigned - keep
    if revoke and (owned is None or owned & revoke):
        # It stays in its epoch, however often it must give up more (Kafka 4.3; earlier counted).
        return _moved(member, member.epoch, UNREVOKED, keep, revoke, target_epoch)
    wanted = target - keep
    given = frozenset(part for part in wanted if is_free(part))
    state = UNRELEASED if wanted - given else STABLE
    return _moved(member, target_epoch, state, keep | given, NOTHING, target_epoch)


def _turned_away(member: Member, subscribed: frozenset[str], target_epoch: int) -> Member:
    """What it has just turned away from it must give up as well, before anything else."""
    keep = frozenset(part for part in member.assigned if part[0] in subscribed)
    revoke = member.revoking | (member.assigned - keep)
    return _moved(member, member.epoch, UNREVOKED, keep, revoke, target_epoch)


def _moved(
    member: Member, epoch: int, state: str, assigned: Parts, revoking: Parts, target_epoch: int
) -> Member:
    same = (epoch, state, assigned, revoking)
    if same == (member.epoch, member.state, member.assigned, member.revoking):
        # It has come with its epoch, so no answer that told it was lost: the one before is over.
        is_over = state != UNREVOKED and member.previous_epoch != epoch
        return replace(member, previous_epoch=epoch) if is_over else member
    since = member.since or {}
    had = (member.assigned & assigned) | revoking
    return replace(
        member,
        epoch=epoch,
        previous_epoch=member.epoch,
        state=state,
        assigned=assigned,
        revoking=revoking,
        # KIP-1251: a commit is good from the epoch at which the partition was given, and until
        # it is given up. One that was given up and comes back is given anew.
        since={p: since[p] if p in had else target_epoch for p in assigned | revoking},
    )
