"""Valid names and partition counts of topics.

Rules about values only; the catalogue knows which topics exist. A refusal has the code and the
message for a topic in the response.
"""

import re
from collections.abc import Iterable, Sequence

from groups.core.errors import ErrorCode, Refuse

NAME_LENGTH_MAX = 249
"""Kafka's limit: a directory of its log is named name-partition and must fit in 255 bytes."""

PARTITIONS_MAX = 10_000
"""Partitions of one topic. Every Metadata response for the topic lists them, so this also limits
its size and the time to write it."""

TOPICS_PER_REQUEST_MAX = 1_000
"""Topics in one request that changes the catalogue: its transaction must stay short."""

PARTITIONS_PER_REQUEST_MAX = 100_000
"""Partitions that one CreateTopics creates, in all its topics. Kafka's limit is 10,000, since each
is a record of its controller; here a topic is one row, however many it has."""

DEFAULT = -1
"""The value for "as configured" in a request, for a partition count or a replication factor
(KIP-464)."""

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+", re.ASCII)


class Room:
    """How many more topics and partitions may be created; taking some decreases it."""

    def __init__(self, topics: int, partitions: int) -> None:
        self.topics = topics
        self.partitions = partitions

    def take(self, partitions: int) -> int:
        """Take a topic with this many partitions; returns the number. Refuses POLICY_VIOLATION."""
        if self.topics < 1:
            raise Refuse(ErrorCode.POLICY_VIOLATION, "There are as many topics as there may be.")
        self.grow(partitions)
        self.topics -= 1
        return partitions

    def grow(self, partitions: int) -> None:
        """Take this many more partitions of an existing topic. Refuses POLICY_VIOLATION."""
        if self.partitions < partitions:
            detail = f"There is room for {max(self.partitions, 0)} more partitions of all topics."
            raise Refuse(ErrorCode.POLICY_VIOLATION, detail)
        self.partitions -= partitions


def name_problem(name: str) -> str | None:
    """Why this is no valid topic name, as a sentence; None if it is one.

    Kafka also refuses a name that differs from another topic's only in "." and "_", since its
    metrics cannot tell them apart; ours can.
    """
    if not name:
        return "A topic's name cannot be empty."
    if name in (".", ".."):
        return 'A topic cannot be called "." or "..".'
    if len(name) > NAME_LENGTH_MAX:
        return f"A topic's name has at most {NAME_LENGTH_MAX} characters."
    if not _LEGAL.fullmatch(name):
        return 'A topic\'s name consists of ASCII letters, digits, ".", "_" and "-".'
    return None


def check_name(name: str) -> None:
    """Refuse an invalid topic name: INVALID_TOPIC_EXCEPTION."""
    problem = name_problem(name)
    if problem is not None:
        raise Refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)


def check_count(partitions: int) -> None:
    """Refuse an invalid partition count: INVALID_PARTITIONS."""
    if partitions < 1:
        raise Refuse(ErrorCode.INVALID_PARTITIONS, "A topic has at least one partition.")
    if partitions > PARTITIONS_MAX:
        raise Refuse(
            ErrorCode.INVALID_PARTITIONS, f"A topic has at most {PARTITIONS_MAX} partitions."
        )


ONE_REPLICA = "The replication factor must be 1 or -1."


def partitions_of_new(
    num_partitions: int,
    replication_factor: int,
    assignments: Sequence[tuple[int, Sequence[int]]],
    *,
    default: int,
    brokers: Iterable[int],
) -> int:
    """The partition count of a topic in a CreateTopics request.

    ``assignments`` are partitions with the requested brokers; if there are any they determine the
    count. INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR, INVALID_REPLICA_ASSIGNMENT, or
    INVALID_REQUEST for a contradiction.
    """
    if assignments:
        if num_partitions != DEFAULT or replication_factor != DEFAULT:
            raise Refuse(
                ErrorCode.INVALID_REQUEST,
                "With replica assignments, partition count and replication factor must be -1.",
            )
        numbers = [number for number, _ in assignments]
        if len(set(numbers)) < len(numbers):
            raise Refuse(ErrorCode.INVALID_REPLICA_ASSIGNMENT, "A partition is assigned twice.")
        check_assignments([replicas for _, replicas in assignments], brokers)
        if set(numbers) != set(range(len(numbers))):
            raise Refuse(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                "The partitions assigned must be numbered from 0 without a gap.",
            )
        count = len(assignments)
        check_count(count)
    else:
        if replication_factor < DEFAULT or replication_factor == 0:
            raise Refuse(ErrorCode.INVALID_REPLICATION_FACTOR, ONE_REPLICA)
        count = default if num_partitions == DEFAULT else num_partitions
        check_count(count)
        # A partition has one live node as its leader and no replicas: there is no log to replicate.
        if replication_factor not in (DEFAULT, 1):
            raise Refuse(ErrorCode.INVALID_REPLICATION_FACTOR, ONE_REPLICA)
    return count


def check_assignments(assignments: Iterable[Sequence[int]], brokers: Iterable[int]) -> None:
    """Refuse brokers that are unknown, missing or named twice: INVALID_REPLICA_ASSIGNMENT."""
    known = set(brokers)
    for replicas in assignments:
        if not replicas or len(set(replicas)) != len(replicas):
            raise Refuse(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                "Each partition assigned needs brokers, each of them once.",
            )
        unknown = [broker for broker in replicas if broker not in known]
        if unknown:
            raise Refuse(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"No live broker has the id {unknown[0]}."
            )


def check_growth(now: int, count: int, assigned: int | None = None) -> None:
    """Refuse a partition count that is no increase: INVALID_PARTITIONS.

    ``assigned``: the number of partitions for which the request names brokers; None if it names
    none. It must be that of the new partitions: INVALID_REPLICA_ASSIGNMENT.
    """
    if count <= now:
        raise Refuse(
            ErrorCode.INVALID_PARTITIONS,
            f"The topic has {now} partitions already; {count} would be no increase.",
        )
    check_count(count)
    if assigned is not None and assigned != count - now:
        raise Refuse(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{count - now} partitions are new, but {assigned} are assigned.",
        )
