"""Topics, partitions and matches of filters: the coordinator watches them, not consumers."""

from collections.abc import Collection, Iterable, Mapping

from groups.core.commanded import rebalance, thread_offers
from groups.core.commanded.work import Work
from groups.core.events import TopicsChanged
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause
from groups.core.rows import MemberRow


def topics_changed(work: Work, event: TopicsChanged) -> None:
    """Queue a rebalance if this changes topics of the group (the design's topic change and topic
    partition change; the check decides whether it is necessary)."""
    news = learn(work, event.counts, event.matches)
    if news:
        names = ", ".join(news)[:200]
        rebalance.queue(
            work, Cause(Trigger.TOPICS_CHANGED, f"the partitions of {names} are not what they were")
        )


def learn(
    work: Work,
    counts: Mapping[str, int],
    matches: Mapping[str, Collection[str]],
    consumer_id: str = "",
) -> list[str]:
    """Store the current state of the group's topics and filters; returns the topics that changed.
    ``consumer_id``: a consumer whose offer is new."""
    if not work.members:
        return []
    found = _matching(work, matches)
    for row in _to_subscribe(work, found, consumer_id):
        work.put(thread_offers.subscribed(row, found))
    after, before = _counted(work, counts)
    if found != work.matches:
        work.set_details(topics=work.change_counts(), matches=found or None)
    return sorted(name for name, count in after.items() if (count or 0) != before.get(name, 0))


def _matching(work: Work, matches: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """The topics that match each filter of the group, as far as there is room for them."""
    filters = {key: number for key, number in work.offered.filters.items() if number}
    known = {**work.matches, **{key: sorted(names) for key, names in matches.items()}}
    room = thread_offers.room(sum(filters.values()))
    return {key: list(known.get(key, ()))[:room] for key in sorted(filters)}


def _to_subscribe(
    work: Work, found: Mapping[str, list[str]], consumer_id: str
) -> Iterable[MemberRow]:
    """The consumers whose topics may be others now."""
    if consumer_id:
        yield work.members[consumer_id]
    changed = {key for key, names in found.items() if names != work.matches.get(key)}
    if changed:
        rows = list(work.members.values())
        yield from (row for row in rows if row.details.get(thread_offers.FILTER) in changed)


def _counted(
    work: Work, counts: Mapping[str, int]
) -> tuple[Mapping[str, int | None], Mapping[str, int]]:
    """Set the partitions of the group's topics; returns those that changed (None: nobody offers the
    topic any more), and what they were."""
    before, news = work.counts, _news(work)
    after: dict[str, int | None] = {}
    for name in {*news, *counts}:
        if work.offered.topics.get(name):
            count = counts.get(name, before.get(name, 0))
            if name not in before or before[name] != count:
                after[name] = count
        elif name in before:
            after[name] = None
    was = {name: before[name] for name in after if name in before}
    if after:
        _write(work.change_counts(), after)
    return after, was


def _news(work: Work) -> Collection[str]:
    """The topics that came or went, once."""
    if not work.offered.news:
        return frozenset()
    offered = work.change_offered()
    news, offered.news = offered.news, set()
    for name in news:
        if not offered.topics.get(name, 1):
            del offered.topics[name]
    return news


def _write(counts: dict[str, int], after: Mapping[str, int | None]) -> None:
    for name, count in after.items():
        if count is None:
            del counts[name]
        else:
            counts[name] = count
