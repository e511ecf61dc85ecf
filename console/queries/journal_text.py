"""Texts of journal entries, which an operator understands at four in the morning.

Texts only: the facts are in the entry, ``console.queries.groups`` selects entries.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from console.queries import journal_acts as acts
from console.queries import outage_text, why_text
from console.queries.member_names import Name, plain
from console.queries.situation_text import many
from console.queries.why_text import WAITED_NAMED
from console.queries.why_text import seconds as seconds
from groups.core.journal import EntryKind, Trigger
from groups.models import Journal

HANDED_NAMED = 2
"""Members named that gave partitions to others; others are only counted."""


def cause(entry: Journal, name: Name = plain) -> str:
    """The causes, with their shares of the time if there are several."""
    return why_text.causes(why_text.explanation(entry), name)


def client_reason(entry: Journal) -> str:
    """The client's reason after a colon; "" if it gave none."""
    return f": '{entry.client_reason}'" if entry.client_reason else ""


def waited(entry: Journal, name: Name = plain) -> str:
    """The members waited for, with how that ended: "waited 1.2 s for w-2 (revoked)"; "" if none."""
    return why_text.waited(why_text.explanation(entry), name)


def _started(entry: Journal, name: Name) -> str:
    return f"A rebalance began because {cause(entry, name)}."


def _put_off(entry: Journal, name: Name) -> str:
    since = ", since the group is frozen" if entry.details.get("frozen") else ""
    return f"A rebalance was put off{since}; it is due because {cause(entry, name)}."


def reached(entry: Journal) -> str:
    """The generation or epoch that a rebalance reached, in its protocol's word; only entries of
    consumer groups have moves between members."""
    word = "group epoch" if "handed_over" in entry.details else "generation"
    return f"{word} {entry.generation_after}"


def _completed(entry: Journal, name: Name) -> str:
    because = f" because {cause(entry, name)}" if entry.trigger else ""
    took = "" if entry.duration_ms is None else f" in {seconds(entry.duration_ms)}"
    parts = [
        f"Rebalanced to {reached(entry)}{took}{because}",
        waited(entry, name),
        why_text.seen_from(why_text.explanation(entry)),
    ]
    moved = entry.details.get("moved")
    if moved is not None:
        parts.append(f"{moved} {_plural(moved, 'partition')} moved")
    parts += [handed_over(entry, name), without_owner(entry)]
    return "; ".join(part for part in parts if part) + "."


def handed_over(entry: Journal, name: Name = plain) -> str:
    """The moves between members: "w-1 gave 4 partitions to w-2, w-3 took over 2 of w-4"."""
    pairs = entry.details.get("handed_over") or []
    moves = [_handed(pair, name) for pair in pairs[:HANDED_NAMED]]
    more = entry.details.get("handed_over_pairs", len(pairs)) - len(moves)
    return ", ".join(moves) + (f" ({more} more such {_plural(more, 'pair')})" if more > 0 else "")


def _handed(pair: Mapping[str, Any], name: Name) -> str:
    giver, taker = name(pair["from"]), name(pair["to"])
    some = many(pair["partitions"], "partition")
    if pair["partitions"] == 1 and pair["some"]:
        some = pair["some"][0]
    if pair["gone"]:
        return f"{taker} took over {some} of {giver}, which is no longer a member"
    return f"{giver} gave {some} to {taker}"


def without_owner(entry: Journal) -> str:
    """The time without owners: "3 partitions had no owner meanwhile, orders-2 for 1.2 s"."""
    unowned, longest = entry.details.get("unowned", 0), entry.details.get("unowned_longest")
    if not unowned or not longest:
        return ""
    name, ms = longest[0]
    if unowned == 1:
        return f"{name} had no owner for {seconds(ms)}"
    return f"{unowned} partitions had no owner in the meantime, {name} longest, for {seconds(ms)}"


def _failed(entry: Journal, _name: Name) -> str:
    return (
        f"No new assignment: {entry.reason}. Members keep the current assignment; Rollcall"
        " tries again."
    )


def _member_failed(entry: Journal, name: Name) -> str:
    who = name(entry.member_id, entry.client_id)
    return f"Member {who} was asked to assign and did not: {entry.reason}."


def _fell_back(entry: Journal, _name: Name) -> str:
    assignor, instead = entry.details.get("assignor"), entry.details.get("instead")
    return (
        f"The coordinator assigned with {instead}, although the members wanted their own"
        f" {assignor}: {entry.reason}."
    )


def _installed(entry: Journal, name: Name) -> str:
    took = "" if entry.duration_ms is None else f" in {seconds(entry.duration_ms)}"
    who = name(entry.member_id, entry.client_id)
    return f"Member {who} assigned with {entry.details.get('assignor')}{took}."


def _retried(entry: Journal, _name: Name) -> str:
    attempt = entry.details.get("attempt", 2)
    return f"The command was sent again, for the {_nth(attempt)} time: {entry.reason}."


def _nth(number: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 20 else suffix}"


def _rebalance_failed(entry: Journal, name: Name) -> str:
    """Which members did not do what, and what happens to them: the design's
    ConsumerRebalanceFailed."""
    named = ", ".join(name(member) for member in entry.left[:WAITED_NAMED])
    more = entry.details.get("left", len(entry.left)) - WAITED_NAMED
    who = named + (f" and {more} more" if more > 0 else "")
    took = "" if entry.duration_ms is None else f" ({seconds(entry.duration_ms)})"
    out = "It is expelled" if len(entry.left) == 1 else "They are expelled"
    return (
        f"ConsumerRebalanceFailed: {entry.reason}{took}: {who}. {out}; their partitions move"
        " to others when they must have stopped."
    )


def _expelled(entry: Journal, name: Name) -> str:
    why = entry.reason
    if "author" in entry.details:
        why = f"{acts.author(entry)} removed it{client_reason(entry)}"
    return f"Member {name(entry.member_id, entry.client_id) or '?'} was expelled: {why}."


def _stable(entry: Journal, name: Name) -> str:
    members, moved = entry.details.get("members"), entry.details.get("moved")
    text = f"Generation {entry.generation_after} is stable"
    if members is not None:
        text += f" with {members} {_plural(members, 'member')}"
    if moved is not None:
        text += f"; {moved} {_plural(moved, 'partition')} moved"
    waits = waited(entry, name) if entry.duration_ms else ""
    return text + (f"; {waits}." if waits else ".")


def _emptied(entry: Journal, name: Name) -> str:
    waits = waited(entry, name)
    because = f"The group has no members left, because {cause(entry, name)}"
    return f"{because}; {waits}." if waits else f"{because}."


def _replaced(entry: Journal, name: Name) -> str:
    who = name(entry.member_id, entry.client_id)
    return f"Static member {who} came back and kept its partitions{client_reason(entry)}."


def _converted(entry: Journal, name: Name) -> str:
    """The cause of a group's conversion, and the members that stayed."""
    kind, members = entry.details.get("to"), entry.details.get("members", 0)
    stayed = f"; {many(members, 'member')} stayed" if members else ""
    return f"The group now uses the {kind} protocol, because {cause(entry, name)}{stayed}."


def _abandoned(entry: Journal, _name: Name) -> str:
    return f"The rebalance was abandoned: {entry.reason}."


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _released(entry: Journal, _name: Name) -> str:
    if entry.trigger == Trigger.NO_ECHO:
        return f"The session sweep released slots: {entry.reason}."
    return f"Node {entry.node_id} released {entry.reason}."


def _unnamed(write: Callable[[Journal], str]) -> Callable[[Journal, Name], str]:
    """A sentence without a member's name."""
    return lambda entry, _: write(entry)


SENTENCES: Final[Mapping[str, Callable[[Journal, Name], str]]] = {
    EntryKind.REBALANCE_STARTED: _started,
    EntryKind.REBALANCE_PUT_OFF: _put_off,
    EntryKind.REBALANCE_COMPLETED: _completed,
    EntryKind.REBALANCE_ABANDONED: _abandoned,
    EntryKind.REBALANCE_RETRIED: _retried,
    EntryKind.CONSUMER_REBALANCE_FAILED: _rebalance_failed,
    EntryKind.MEMBER_EXPELLED: _expelled,
    EntryKind.ASSIGNMENT_FAILED: _failed,
    EntryKind.ASSIGNMENT_INSTALLED: _installed,
    EntryKind.ASSIGNOR_FAILED: _member_failed,
    EntryKind.ASSIGNOR_FELL_BACK: _fell_back,
    EntryKind.GROUP_CONVERTED: _converted,
    EntryKind.STABLE: _stable,
    EntryKind.EMPTIED: _emptied,
    EntryKind.MEMBER_REPLACED: _replaced,
    EntryKind.INSTANCE_TAKEN: lambda entry, _: f"{': '.join(acts.instance_taken(entry.details))}.",
    EntryKind.OFFSETS_EXPIRED: lambda entry, _: (
        f"{many(entry.details.get('offsets', 0), 'offset')} expired."
    ),
    EntryKind.MARKED: lambda entry, _: f"Marked by {acts.author(entry)}: {entry.reason}.",
    EntryKind.OFFSETS_RESTORED: lambda entry, _: (
        f"{many(entry.details.get('offsets', 0), 'offset')} were restored: {entry.reason}."
    ),
    EntryKind.STRATEGY_FAILED: lambda entry, _: (
        f"The range strategy was used instead: {entry.reason}."
    ),
    EntryKind.PAUSED: lambda entry, _: f"{entry.reason[:1].upper()}{entry.reason[1:]}.",
    EntryKind.RESUMED: lambda entry, _: f"{entry.reason[:1].upper()}{entry.reason[1:]}.",
    EntryKind.GROUP_CREATED: lambda _entry, _: "The group was created.",
    EntryKind.GROUP_DELETED: _unnamed(acts.group_deleted),
    EntryKind.OFFSETS_ALTERED: _unnamed(acts.offsets_altered),
    EntryKind.OFFSETS_DELETED: _unnamed(acts.offsets_deleted),
    EntryKind.CONFIG_CHANGED: _unnamed(acts.config_changed),
    EntryKind.SLOTS_CLAIMED: lambda entry, _: f"Node {entry.node_id} took {entry.reason}.",
    EntryKind.SLOTS_RELEASED: _released,
    EntryKind.NODE_OUTAGE: _unnamed(outage_text.sentence),
    EntryKind.NODE_WAITS: _unnamed(acts.node_waits),
    EntryKind.NODE_CONFIGURED: _unnamed(acts.node_configured),
    EntryKind.TIME_WENT_BACK: lambda entry, _: f"{entry.reason}.",
    EntryKind.LIMIT_NEAR: lambda entry, _: f"A limit is near: {entry.reason}.",
    **{kind: _unnamed(partial(acts.acl, verb=verb)) for kind, verb in acts.ACLS.items()},
    **{kind: _unnamed(partial(acts.credential, verb=v)) for kind, v in acts.CREDENTIALS.items()},
    **{kind: _unnamed(partial(acts.quota, verb=v)) for kind, v in acts.QUOTAS.items()},
    **{kind: _unnamed(partial(acts.node, verb=verb)) for kind, verb in acts.NODES.items()},
    **{kind: _unnamed(partial(acts.topic, verb=verb)) for kind, verb in acts.TOPICS.items()},
}
"""Every kind has one; a test checks it."""


def sentence(entry: Journal, name: Name = plain) -> str:
    """The complete entry in plain words; an unknown kind is shown with its reason."""
    write = SENTENCES.get(entry.kind)
    if write is not None:
        return write(entry, name)
    details: Any = entry.reason or entry.trigger
    return f"{entry.kind}: {details}" if details else entry.kind
