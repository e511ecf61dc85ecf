"""Elects the server-side assignor of a group (KIP-848)."""

from groups.core.assignors import weights
from groups.core.consumer.work import Work


def vote(work: Work) -> str:
    """The assignor that most members request, ties by the configured order; else the first one."""
    offered = work.rules.group_consumer_assignors
    votes = dict.fromkeys(offered, 0)
    for member in work.members.values():
        assignor = weights.assignor_of(member.assignor)
        if assignor in votes:
            votes[assignor] += 1
    return max(offered, key=votes.__getitem__)
