"""Range: for each topic, contiguous ranges of partitions to members in order.

The results are those of Java's RangeAssignor without racks (KIP-881 is left to the coordinator's
own assignors). Topics with the same size and subscribers are distributed equally.
"""

from collections.abc import Sequence

from rollcall.client.assignors.shape import Assignment, Candidate, Counts, subscribers
from rollcall.client.core.events import TopicPartition


def assign(counts: Counts, members: Sequence[Candidate]) -> Assignment:
    """Each member gets a range of every topic; the first ones get one more if it does not divide
    evenly."""
    given: Assignment = {member.member_id: set() for member in members}
    for topic, wanting in subscribers(counts, members).items():
        each, over = divmod(counts[topic], len(wanting))
        start = 0
        for place, member in enumerate(wanting):
            end = start + each + (place < over)
            given[member.member_id] |= {TopicPartition(topic, n) for n in range(start, end)}
            start = end
    return given
