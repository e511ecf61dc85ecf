"""Topics, partitions and matches of filters: the coordinator watches them, not consumers."""

from collections.abc import Collection, Mapping

from groups.core.commanded import rebalance, thread_offers
from groups.core.commanded.states import TOPICS_CHANGED
from groups.core.commanded.work import Work
from groups.core.events import TopicsChanged
from groups.core.rebalance_cause import Cause


def topics_changed(work: Work, event: TopicsChanged) -> None:
    """Queue a rebalance if this changes topics of the group (the design's topic change and topic
    partition change; the check decides whether it is necessary)."""
    news = learn(work, event.counts, event.matches)
    if news:
        names = ", ".join(news)[:200]
        rebalance.queue(
            work, Cause(TOPICS_CHANGED, f"the partitions of {names} are not what they were")
        )


def learn(
    work: Work, counts: Mapping[str, int], matches: Mapping[str, Collection[str]]
) -> list[str]:
    """Store the current state of the group's topics and filters; returns the topics that
    changed."""
    if not work.members:
        return []
    keys = {key for row in work.members.values() if (key := row.details.get(thread_offers.FILTER))}
    known = {**work.matches, **{key: sorted(names) for key, names in matches.items()}}
    room = thread_offers.room(work.members.values())
    found = {key: list(known.get(key, ()))[:room] for key in sorted(keys)}
    for row in list(work.members.values()):
        # Topics offered by name were packed with the offer.
        if thread_offers.FILTER in row.details or work.before.members.get(row.member_id) is not row:
            work.put(thread_offers.subscribed(row, found))
    names = sorted(frozenset().union(*map(thread_offers.topics_in, work.members.values())))
    before = work.counts
    after = {name: counts.get(name, before.get(name, 0)) for name in names}
    if after != before or found != work.matches:
        work.set_details(topics=after, matches=found or None)
    return sorted(t for t in after.keys() | before.keys() if after.get(t, 0) != before.get(t, 0))
