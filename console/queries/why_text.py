"""From an explanation (``groups.core.explanation``) to words: why a rebalance took as long as it
did, the same on every page, over REST, in the command line and in webhooks.

Texts only. Entries of earlier versions have no explanation: for them it is made of their columns.
"""

from collections.abc import Mapping
from typing import Any, Final

from console.queries.member_names import Name, plain
from groups.core.explanation import REMOVED, WHY, Awaited, End, Explanation, Share
from groups.core.journal import Trigger

CAUSES: Final[Mapping[str, str]] = {
    Trigger.MEMBER_JOINED: "member {who} joined",
    Trigger.MEMBER_LEFT: "member {who} left",
    Trigger.SESSION_EXPIRED: "member {who} was silent for its session timeout",
    Trigger.SYNC_EXPIRED: "member {who} joined but did not fetch its assignment in time",
    Trigger.METADATA_CHANGED: "member {who} changed its subscription",
    Trigger.LEADER_REJOINED: "the leader {who} joined again",
    Trigger.MEMBER_REPLACED: "static member {who} came back under a new member id",
    Trigger.REBALANCE_TIMEOUT: "member {who} did not revoke its partitions in time",
    Trigger.GROUP_OVERSIZED: "the group was larger than group.max.size allows",
    Trigger.JOIN_TIMED_OUT: "member {who} did not rejoin in time",
    Trigger.MEMBER_REFUSED: "member {who} could not be admitted",
    Trigger.TOPICS_CHANGED: "topics or partition counts changed",
    Trigger.RETENTION: "it is no longer needed",
    Trigger.OWNER_CHANGED: "another node took over the group",
    Trigger.OPERATOR: "an operator requested it",
    Trigger.MEMBER_RETURNED: "member {who} sent a heartbeat again",
    Trigger.STRATEGY_FAILED: "its partition assignment strategy failed",
    Trigger.NOT_ACKNOWLEDGED: "member {who} did not acknowledge its command",
    Trigger.ASSIGNOR_FAILED: "the assignor returned no usable assignment",
    Trigger.ASSIGNOR_CHANGED: "member {who} named another assignor, or its own has new metadata",
    Trigger.SUBSCRIPTION_CHANGED: "member {who} changed its subscription",
    Trigger.REQUEST: "a client requested it",
    Trigger.TOPIC_CREATED: "a topic with that name was created",
    Trigger.TOPIC_DELETED: "the topic was deleted",
    Trigger.NO_ECHO: "the owner did not answer for a whole lease",
    Trigger.DATABASE_AWAY: "the lease could not be renewed in PostgreSQL",
    Trigger.LOOP_STALLED: "the event loop stood still",
    Trigger.NODE_LOST: "a process ended without giving its slots away",
    Trigger.TOTAL: "a limit is near",
}
"""The meaning of each trigger; ``{who}`` is the member."""

SEVERAL: Final[Mapping[str, str]] = {
    Trigger.MEMBER_JOINED: "joined",
    Trigger.MEMBER_LEFT: "left",
    Trigger.SESSION_EXPIRED: "were silent for their session timeout",
    Trigger.SYNC_EXPIRED: "joined but did not fetch their assignment in time",
    Trigger.METADATA_CHANGED: "changed their subscription",
    Trigger.SUBSCRIPTION_CHANGED: "changed their subscription",
    Trigger.REBALANCE_TIMEOUT: "did not revoke their partitions in time",
    Trigger.JOIN_TIMED_OUT: "did not rejoin in time",
    Trigger.MEMBER_REFUSED: "could not be admitted",
    Trigger.MEMBER_REPLACED: "came back under a new member id",
    Trigger.NOT_ACKNOWLEDGED: "did not acknowledge their command",
}
"""Texts for several members, after their number; other causes that repeat are only counted."""

CAUSED_BY_REASON: Final = frozenset([Trigger.OPERATOR])
"""Triggers whose reason is complete."""

ENDS: Final[Mapping[str, str]] = {
    End.REJOINED: "rejoined",
    End.JOINED: "joined",
    End.SYNCED: "fetched its assignment",
    End.REVOKED: "revoked",
    End.HEARD: "sent its heartbeat",
    End.ASSIGNED: "computed the assignment",
    End.ACKNOWLEDGED: "acknowledged",
    End.RETURNED: "came back",
    End.FAILED: "gave no assignment",
    End.LEFT: "left",
    End.SILENT: "removed",
    End.LATE: "removed, too late",
    End.EVICTED: "removed by an operator",
    End.REFUSED: "removed, not admitted",
    End.ABANDONED: "its connection had ended",
    End.KEPT: "did not rejoin, static",
    End.PENDING: "not yet",
}
"""How a wait ended. Every end has a text; a test checks it."""

CAUSES_TOLD: Final = 3
"""Causes that a sentence tells, those with the greatest shares; others are only counted."""

WAITED_NAMED: Final = 3
"""Members named as waited for, removed ones first; others are only counted."""

SILENT_MS_MIN: Final = 1_000
"""Shorter silences are not mentioned."""

MS_PER_S: Final = 1_000


def seconds(milliseconds: int) -> str:
    """A duration in words: "40 ms", "1.2 s", "2 min 5 s"."""
    if milliseconds < MS_PER_S:
        return f"{milliseconds} ms"
    if milliseconds < 60 * MS_PER_S:
        return f"{milliseconds / MS_PER_S:.1f} s"
    minutes, rest = divmod(round(milliseconds / MS_PER_S), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def explanation(entry: Any) -> Explanation:
    """Of a journal entry (a row of ``Journal``)."""
    found = (entry.details or {}).get(WHY)
    if found is not None:
        return Explanation.decoded(found)
    awaited = (Awaited(member, "", "", ms, "") for member, ms in (entry.waited_for or {}).items())
    slowest = sorted((one for one in awaited if one.ms), key=lambda one: (-one.ms, one.member_id))
    ms = entry.duration_ms or 0
    only: tuple[Share, ...] = (_only_cause(entry, ms),) if entry.trigger else ()
    counted = (entry.details or {}).get("waited_for_count", 0)
    more = max(0, counted - len(entry.waited_for or {}))
    return Explanation(ms, only, tuple(slowest), more=more)


def _only_cause(entry: Any, ms: int) -> Share:
    left = len(entry.left or ())
    who = (entry.member_id, entry.client_id)
    named = (who,) if any(who) else ()
    count, said = max(1, left), entry.client_reason or ""
    return Share(entry.trigger, entry.reason or "", said, count, named, 0, ms)


def causes(why: Explanation, name: Name = plain) -> str:
    """Every cause in its order, with its share of the time if there are several: "member w-1 joined
    (263 ms) and 2 members did not rejoin in time, the first w-2 (27.9 s)"."""
    if len(why.causes) < 2:
        return "".join(cause(each, name) for each in why.causes)
    most = sorted(why.causes, key=lambda each: -each.ms)[:CAUSES_TOLD]
    told = [each for each in why.causes if each in most]
    texts = [f"{cause(each, name)} ({seconds(each.ms)})" for each in told]
    more = len(why.causes) - len(told)
    if more:
        return f"{', '.join(texts)} and {more} more {'cause' if more == 1 else 'causes'}"
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def cause(share: Share, name: Name = plain) -> str:
    """One cause, and the client's own reason: "member w-1 left: 'consumer closed'"."""
    said = f": '{share.client_reason}'" if share.client_reason else ""
    if share.trigger in CAUSED_BY_REASON and share.reason:
        return share.reason
    who = name(*share.named[0]) if share.named else ""
    if share.members > 1 and share.trigger in SEVERAL:
        first = f", the first {who}" if who else ""
        return f"{share.members} members {SEVERAL[share.trigger]}{first}{said}"
    template = CAUSES.get(share.trigger, share.trigger.replace("-", " "))
    if "{who}" in template and not who:
        return (share.reason or template.format(who="?")) + said
    return template.format(who=who) + said


def waited(why: Explanation, name: Name = plain) -> str:
    """The members waited for: "waited 1.2 s for w-2 (revoked), 40 ms for w-1 (left)"; "" if
    none."""
    if not why.awaited:
        return ""
    order = sorted(why.awaited, key=lambda one: (one.end not in REMOVED, -one.ms, one.member_id))
    named = ", ".join(_awaited(one, name) for one in order[:WAITED_NAMED])
    more = len({one.member_id for one in order} - {one.member_id for one in order[:WAITED_NAMED]})
    more += why.more
    return f"waited {named}" + (f" and {more} more" if more > 0 else "")


def _awaited(one: Awaited, name: Name) -> str:
    who = name(one.member_id, one.name or None) or "a client"
    if one.act == "join" and not one.name:
        who = "a client with a new member id"
    how = ENDS.get(one.end, one.end)
    if one.end in REMOVED and one.silent_ms >= SILENT_MS_MIN:
        how += f", silent for {seconds(one.silent_ms)}"
    return f"{seconds(one.ms)} for {who}" + (f" ({how})" if how else "")


def seen_from(why: Explanation) -> str:
    """What a reader has to know of a rebalance that another node began; else ""."""
    return "counted since another node took over the group" if why.is_partial else ""
