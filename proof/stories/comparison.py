"""An explanation of the journal beside what is known from outside: no cause and no member may be
missing, none may be invented, and times may differ by ``TOLERANCE_MS``."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from groups.core.explanation import REMOVALS, REMOVED, Awaited, End, Explanation
from groups.core.group import JournalEntry
from groups.core.journal import Trigger
from groups.core.waiting import Act
from proof.stories.facts import PUT_OFF, Facts, Gone, Key, Known

TOLERANCE_MS: Final = 100

SHORT_MS: Final = 1
"""A shorter wait is none."""

JOINED: Final = (Trigger.MEMBER_JOINED,)

SILENCE: Final = (Trigger.SESSION_EXPIRED,)
"""In a rebalance of the draft it means that a consumer did not join in time."""


def compare(facts: Facts, entry: JournalEntry, why: Explanation) -> None:
    """Note in ``facts`` what the entry says wrongly."""
    facts.told_of.entries += 1
    facts.told_of.causes += len(why.causes)
    facts.told_of.longest_ms = max(facts.told_of.longest_ms, why.ms)
    since = facts.world.now - why.ms
    if why.is_partial is not (facts.taken_at is not None):
        facts.say(entry, f"partial: {why.is_partial}")
    if why.is_partial and facts.taken_at is not None and since < facts.taken_at:
        facts.say(entry, "knows of a time before it was taken over")
    _compare_waits(facts, entry, why, since)
    _compare_ends(facts, entry, why, since)
    _compare_causes(facts, entry, why, since)
    _compare_shares(facts, entry, why, since)
    if Explanation.decoded(why.encoded()) != _as_decoded(why):
        facts.say(entry, "is another one after it was encoded")


def _compare_waits(facts: Facts, entry: JournalEntry, why: Explanation, since: int) -> None:
    expected: dict[Key, int] = {}
    reached: dict[Key, int] = {}
    for key, begin, end in sorted(facts.spans, key=lambda span: span[1:]):
        ms = end - max(begin, since, reached.get(key, 0))
        if ms > 0:
            expected[facts.known_as(key)] = expected.get(facts.known_as(key), 0) + ms
            reached[key] = end
    told: dict[Key, int] = {}
    for one in why.awaited:
        key = facts.known_as((one.member_id, Act(one.act)))
        told[key] = told.get(key, 0) + one.ms
    for key in expected.keys() | told.keys():
        right, said = expected.get(key, 0), told.get(key, 0)
        if abs(right - said) > TOLERANCE_MS or (
            min(right, said) == 0 and max(right, said) > SHORT_MS
        ):
            facts.say(entry, f"waited {right} ms for {key}, not {said}")


def _compare_ends(facts: Facts, entry: JournalEntry, why: Explanation, since: int) -> None:
    removed = {(o.member_id, o.act, o.end): o for o in why.awaited if o.end in REMOVED}
    for member_id, gone in facts.gone:
        for act in gone.awaited:
            right = _end_of(facts, gone)
            one = removed.get((member_id, act, right))
            _compare_end(facts, entry, one, (member_id, act), gone, since)
    ended = {(m, act, _end_of(facts, gone)) for m, gone in facts.gone for act in gone.awaited}
    for key, one in removed.items():
        if key not in ended and one.act != Act.JOIN:
            facts.say(entry, f"{one.name} ended as {one.end}, and was not removed")
    for one in why.awaited:
        member = facts.member(one.member_id)
        if member is not None and one.name not in ("", member.name, member.instance_id):
            facts.say(entry, f"{one.name} is {member.name}")


def _compare_end(
    facts: Facts, entry: JournalEntry, one: Awaited | None, key: Key, gone: Gone, since: int
) -> None:
    facts.told_of.removed += 1
    if one is None:
        spans = [span[1:] for span in facts.spans if span[0] == key]
        if any(max(begin, since) < end == gone.at for begin, end in spans):
            facts.say(entry, f"{key} was awaited until it was removed, and is not named")
    elif one.end == End.SILENT and abs(one.silent_ms - gone.silent_ms) > TOLERANCE_MS:
        facts.say(entry, f"{one.name} was silent {gone.silent_ms}, not {one.silent_ms}")


def _end_of(facts: Facts, gone: Gone) -> End:
    is_draft = facts.kind == "draft"
    return End.LATE if is_draft and gone.trigger in SILENCE else REMOVALS[gone.trigger]


def _compare_causes(facts: Facts, entry: JournalEntry, why: Explanation, since: int) -> None:
    known = [facts.carried] if facts.carried is not None else []
    known += facts.causes
    right = _runs(known)
    said = [(share.trigger, share.members) for share in why.causes]
    if why.is_partial:
        # Joins before it end with their owner; what the rows owe is known, and what follows.
        kept = [each.trigger for each in known if each.trigger in REMOVALS or each.at > since]
        may_say = {facts.owed, *(each.trigger for each in known)}
        if not set(kept) <= {trigger for trigger, _ in said} <= may_say:
            facts.say(entry, f"causes are {right}, not {said}")
        return
    if [(trigger, count) for trigger, count, _ in right] != said:
        # What came in the same millisecond has no order.
        right = _runs(sorted(known, key=lambda each: (each.at, each.trigger in JOINED)))
    if _has_ties(known, since) and _counts(right) == _counts(said):
        return
    if [(trigger, count) for trigger, count, _ in right] != said:
        facts.say(entry, f"causes are {right}, not {said}")
        return
    for (trigger, _, first), share in zip(right, why.causes, strict=True):
        if first is facts.carried:
            continue
        if abs(max(0, first.at - since) - share.at_ms) > TOLERANCE_MS:
            facts.say(entry, f"{trigger} came at {first.at - since}, not {share.at_ms}")
        said_names = {name for _, name in share.named}
        names = {each.name for each in known if each.trigger == trigger}
        if first.name is not None and not (said_names and said_names <= names):
            facts.say(entry, f"{trigger} was {names}, not {said_names}")


def _compare_shares(facts: Facts, entry: JournalEntry, why: Explanation, since: int) -> None:
    if not why.causes:
        return
    if sum(share.ms for share in why.causes) != why.ms:
        facts.say(entry, "the shares are not all of the time")
    doomed = _only_doomed(facts, since)
    told = sum(share.ms for share in why.causes if share.trigger in REMOVALS)
    if told + TOLERANCE_MS < doomed:
        facts.say(entry, f"{doomed} ms were waited for the removed alone, {told} are theirs")


def _only_doomed(facts: Facts, since: int) -> int:
    """How long the group waited only for members that were removed in the end."""
    edges = sorted({max(edge, since) for _, *ends in facts.spans for edge in ends})
    return sum(
        end - begin
        for begin, end in pairwise(edges)
        if (keys := {key for key, a, b in facts.spans if a <= begin < end <= b})
        and all(_is_doomed(facts, key, end) for key in keys)
    )


def _is_doomed(facts: Facts, key: Key, moment: int) -> bool:
    """Whether what is awaited now ends with the member's removal."""
    for begin, end in sorted(span[1:] for span in facts.spans if span[0] == key):
        is_new = moment in facts.phases or (key[0], moment) in facts.rejoined
        if begin <= moment <= end and not (begin == moment and is_new):
            moment = end
    return any(
        member_id == key[0] and key[1] in gone.awaited and gone.at == moment
        for member_id, gone in facts.gone
    )


def _runs(known: list[Known]) -> list[tuple[str, int, Known]]:
    """Equal causes in a row are one."""
    found: list[tuple[str, int, Known]] = []
    ids: set[str | None] = set()
    for each in known:
        if found and found[-1][0] == each.trigger and _is_one(found[-1][2], each):
            is_new = each.member_id in (None, PUT_OFF) or each.member_id not in ids
            ids.add(each.member_id)
            count = found[-1][1] + each.members * is_new
            found[-1] = (each.trigger, count, found[-1][2])
        else:
            ids = {each.member_id, *each.also}
            found.append((each.trigger, each.members, each))
    return found


def _has_ties(known: list[Known], since: int) -> bool:
    at = [max(since, each.at) for each in known]
    return len(set(at)) < len(at)


def _counts(runs: Sequence[tuple[Any, ...]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for trigger, count, *_ in runs:
        found[trigger] = found.get(trigger, 0) + count
    return found


def _is_one(first: Known, other: Known) -> bool:
    """An operator who forces a rebalance and one who evicts give different reasons."""
    if first.trigger != Trigger.OPERATOR:
        return True
    kinds = [(each.name is None, each.member_id == PUT_OFF) for each in (first, other)]
    return kinds[0] == kinds[1]


def _as_decoded(why: Explanation) -> Explanation:
    """Names of members that stay are not in the entry."""
    awaited = tuple(one if one.end in REMOVED else one._replace(name="") for one in why.awaited)
    return replace(why, awaited=awaited)
