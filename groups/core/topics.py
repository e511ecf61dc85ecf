"""What a topic may be called and how many partitions it may have.

Rules about values only: which topics exist is the catalogue's knowledge. A
refusal carries the code and the sentence that a topic's answer holds.
"""

import re
from collections.abc import Iterable, Sequence

from groups.core.errors import ErrorCode, Refuse

NAME_LENGTH_MAX = 249
"""Kafka's: a directory of its log is called name-partition and must fit in 255 bytes."""

PARTITIONS_MAX = 10_000
"""Partitions of one topic. Each is listed in every Metadata answer about it, so this also
bounds an answer's size and the time it takes to write."""

TOPICS_PER_REQUEST_MAX = 1_000
"""Topics in one request that changes the catalogue: its transaction must stay short."""

PARTITIONS_PER_REQUEST_MAX = 100_000
"""Partitions that one CreateTopics makes, all its topics together. Kafka's limit is 10,000, each
being a record of its controller; here a topic is one row, however many it has."""

RACKS_PER_PARTITION_MAX = 16
"""Racks that one partition may be near to: more than any cluster has copies of it."""

RACK_LENGTH_MAX = 249
"""Characters of a rack's id."""

DEFAULT = -1
"""How a request says "as configured", for a partition count or a replication factor (KIP-464)."""

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+", re.ASCII)


class Room:
    """For how many more topics and partitions there is room; what is taken is room no more."""

    def __init__(self, topics: int, partitions: int) -> None:
        self.topics = topics
        self.partitions = partitions

    def take(self, partitions: int) -> int:
        """A topic of so many partitions, whose number is returned. Refuses POLICY_VIOLATION."""
        if self.topics < 1:
            raise Refuse(ErrorCode.POLICY_VIOLATION, "There are as many topics as there may be.")
        self.grow(partitions)
        self.topics -= 1
        return partitions

    def grow(self, partitions: int) -> None:
        """So many more of a topic that is there. Refuses POLICY_VIOLATION."""
        if self.partitions < partitions:
            detail = f"There is room for {max(self.partitions, 0)} more partitions of all topics."
            raise Refuse(ErrorCode.POLICY_VIOLATION, detail)
        self.partitions -= partitions


def name_problem(name: str) -> str | None:
    """Why this cannot be a topic's name, as a sentence; None when it can.

    Kafka also refuses a name that differs from another topic's only in "." and
    "_", which its metrics cannot tell apart; ours can.
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
    """Refuse what cannot be a topic's name: INVALID_TOPIC_EXCEPTION."""
    problem = name_problem(name)
    if problem is not None:
        raise Refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)


def check_count(partitions: int) -> None:
    """Refuse a partition count that no topic can have: INVALID_PARTITIONS."""
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
    """How many partitions the topic of a CreateTopics request shall have.

    ``assignments`` are partitions with the brokers asked for; where there are
    any they give the count. INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR,
    INVALID_REPLICA_ASSIGNMENT, or INVALID_REQUEST for a contradiction.
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
        # A partition is led by one live node and copied by none: there is no log to copy.
        if replication_factor not in (DEFAULT, 1):
            raise Refuse(ErrorCode.INVALID_REPLICATION_FACTOR, ONE_REPLICA)
    return count


def check_assignments(assignments: Iterable[Sequence[int]], brokers: Iterable[int]) -> None:
    """Refuse brokers that are none, missing or named twice: INVALID_REPLICA_ASSIGNMENT."""
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
    """Refuse a new partition count that is no growth: INVALID_PARTITIONS.

    ``assigned``: for how many partitions the request names brokers; None where
    it leaves that to us. Another number than the new ones is
    INVALID_REPLICA_ASSIGNMENT.
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


def check_racks(racks: Sequence[Sequence[str]], partitions: int) -> None:
    """Refuse racks that a topic's partitions cannot be near to: INVALID_REQUEST."""
    if len(racks) > partitions:
        raise Refuse(
            ErrorCode.INVALID_REQUEST,
            f"Racks for {len(racks)} partitions; the topic has {partitions}.",
        )
    for near in racks:
        if len(near) > RACKS_PER_PARTITION_MAX:
            detail = f"A partition is near to at most {RACKS_PER_PARTITION_MAX} racks."
            raise Refuse(ErrorCode.INVALID_REQUEST, detail)
        for rack in near:
            if not rack.strip() or len(rack) > RACK_LENGTH_MAX or "\0" in rack:
                detail = f"A rack's id has 1 to {RACK_LENGTH_MAX} characters, not only spaces."
                raise Refuse(ErrorCode.INVALID_REQUEST, detail)
