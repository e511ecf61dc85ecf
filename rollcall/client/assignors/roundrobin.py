"""Round robin: all partitions of all topics in order, one to each member in turn.

The results are those of Java's RoundRobinAssignor.
"""

from collections.abc import Sequence
from itertools import cycle

from rollcall.client.assignors.shape import Assignment, Candidate, Counts
from rollcall.client.core.events import TopicPartition


def assign(counts: Counts, members: Sequence[Candidate]) -> Assignment:
    """Each partition goes to the next member that subscribes to its topic."""
    given: Assignment = {member.member_id: set() for member in members}
    wanted = {topic for member in members for topic in member.claim.topics}
    turns = cycle(sorted(members, key=lambda each: each.rank))
    for topic in sorted(wanted):
        for partition in range(counts.get(topic, 0)):
            member = next(each for each in turns if topic in each.claim.topics)
            given[member.member_id].add(TopicPartition(topic, partition))
    return given
