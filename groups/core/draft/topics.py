"""Partition changes of subscribed topics: the coordinator tracks them, and tells consumers."""

from groups.core.draft import join_phase
from groups.core.draft.states import STABLE
from groups.core.draft.work import TOPICS, Work
from groups.core.events import TopicsChanged
from groups.core.journal import Trigger
from groups.core.rebalance_cause import Cause


def topics_changed(work: Work, event: TopicsChanged) -> None:
    """Rebalance if these counts differ from those of the last assignment; the generation then rises
    even if nothing moves (Partition changes for subscribed topics, 3)."""
    known = work.live.counts
    changed = {t: n for t, n in event.counts.items() if t in known and known[t] != n}
    dealt = work.row.details.get(TOPICS, {})
    stale = sorted(t for t, n in event.counts.items() if t in dealt and dealt[t] != n)
    if changed:
        work.change().count(changed)
    news = stale if work.state == STABLE else sorted(changed)
    if news:
        names = ", ".join(news)[:200]
        cause = Cause(Trigger.TOPICS_CHANGED, f"the partitions of {names} are not what they were")
        join_phase.start(work, cause, owed=True)
