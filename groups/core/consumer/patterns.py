"""The topics that match subscriptions by pattern (KIP-848): results arrive as events.

Matching is no rule of a group: a node does it outside of the steps, and submits the result as an
event. Until then a member with a new pattern keeps its partitions. No expression is compiled or
evaluated here.
"""

from collections.abc import Mapping

from groups.core.consumer import rebalance
from groups.core.consumer.index import Topic
from groups.core.consumer.work import Work
from groups.core.events import TopicsMatched
from groups.core.journal import Trigger


def topics_matched(work: Work, event: TopicsMatched) -> None:
    """Store the results of patterns that are in use; the epoch rises if the topics changed."""
    known, brought = work.index.matches, event.matches
    found = {
        regex: brought[regex] if regex in brought else known[regex]
        for regex in work.index.regexes
        if regex in brought or regex in known
    }
    if not work.exists or found == known:
        return
    before = {regex: known.get(regex, ()) for regex in found}
    work.set_matches(found)
    if before != found:
        rebalance.bump(
            work, Trigger.TOPICS_CHANGED, "a subscription by pattern stands for other topics now"
        )
        work.set_catalogue(_catalogue(work, event.topics))


def _catalogue(work: Work, facts: Mapping[str, Topic]) -> Mapping[str, Topic]:
    """The subscribed topics; those that the group knows already are at least as new as the
    event's."""
    known = {**facts, **work.index.catalogue}
    return {name: known[name] for name in work.index.names if name in known}
