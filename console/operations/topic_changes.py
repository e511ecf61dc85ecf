"""Changes of topics by operators: the catalogue's own SQL, on a Django connection.

Nodes use ``groups.catalogue.cache``; both follow the rules of ``groups.core.topics`` and execute
the statements of ``groups.store.sql.catalogue``, this side as functions of the database
(``topic_functions``), so that PostgreSQL decides races between clients and operators in the same
way.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import uuid4

from django.conf import settings
from django.db import connection, transaction

from console.operations import topic_functions as functions
from console.operations.racks import check_racks
from groups.core import topics as rules
from groups.core.authors import NO_AUTHOR, AuthorDetails
from groups.core.errors import ErrorCode, Refuse
from groups.models import Topic
from groups.store.sql.totals import TOPICS as TOTAL

MAXIMA = ("TOPICS_MAX", "PARTITIONS_MAX")


ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('rollcall topic ' || %s, 0))"


@contextmanager
def alone(name: str) -> Iterator[None]:
    """One transaction in which no other operator changes this topic, so that reads in it stay
    valid. Operators may not lock rows of the catalogue."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(ALONE, [name])
        yield


def create(name: str, partitions: int, author: AuthorDetails = NO_AUTHOR) -> Topic:
    """Create a topic and notify every node.

    Raises ``Refuse``: INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS, POLICY_VIOLATION,
    TOPIC_ALREADY_EXISTS, with the message to display.
    """
    rules.check_name(name)
    rules.check_count(partitions)
    if not Topic.objects.filter(name=name).exists():
        _room().take(partitions)
    with transaction.atomic():  # nobody deletes it before it has been read
        if not functions.CREATE.changes([name], [uuid4()], [partitions], json.dumps(author)):
            raise Refuse(ErrorCode.TOPIC_ALREADY_EXISTS, f"The topic {name} exists already.")
        return _existing(name)


def grow(name: str, partitions: int, author: AuthorDetails = NO_AUTHOR) -> Topic:
    """Add partitions to a topic, up to ``partitions`` in total.

    Raises ``Refuse``: UNKNOWN_TOPIC_OR_PARTITION, POLICY_VIOLATION, or INVALID_PARTITIONS for no
    increase.
    """
    rules.check_count(partitions)
    before = Topic.objects.filter(name=name).first()
    if before is not None and before.partitions < partitions:
        _room().grow(partitions - before.partitions)
    with alone(name):
        grown = functions.GROW.changes(name, partitions, json.dumps(author))
        topic = _existing(name)
    if not grown:
        rules.check_growth(topic.partitions, partitions)
        raise _unknown(name)  # it was created since
    return topic


def place(name: str, racks: Sequence[Sequence[str]], author: AuthorDetails = NO_AUTHOR) -> Topic:
    """Set the racks near to each partition, from the first on; the others get none. Members are
    affected only by the next target.

    Raises ``Refuse``: UNKNOWN_TOPIC_OR_PARTITION, or INVALID_REQUEST.
    """
    check_racks(racks, _existing(name).partitions)
    with alone(name):
        placed = functions.PLACE.changes(name, json.dumps(racks), len(racks), json.dumps(author))
        topic = _existing(name)
    if not placed:
        check_racks(racks, topic.partitions)  # another topic has the name now
        raise _unknown(name)
    return topic


def delete(topic: Topic, author: AuthorDetails = NO_AUTHOR) -> None:
    """Delete this topic and, in the same statement, all groups' committed offsets of it; the
    journal has an entry for each group (docs/decisions/0002-topic-deletion.md).

    Raises ``Refuse``: UNKNOWN_TOPIC_OR_PARTITION if it does not exist any more, or another one has
    its name.
    """
    if not functions.DELETE.changes(topic.name, topic.topic_id, json.dumps(author)):
        raise _unknown(topic.name)


def raise_ends(name: str, ends: Sequence[int]) -> bool:
    """Raise each partition's end offset, if the new one is higher; returns whether any is."""
    return functions.RAISE_ENDS.changes(name, list(ends))


def _existing(name: str) -> Topic:
    """The topic of that name. In a transaction that has changed it nobody else can delete it."""
    topic = Topic.objects.filter(name=name).first()
    if topic is None:
        raise _unknown(name)
    return topic


def _unknown(name: str) -> Refuse:
    return Refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"There is no topic {name}.")


def _room() -> rules.Room:
    """How much more may be created, by the rows."""
    with connection.cursor() as cursor:
        cursor.execute(TOTAL)
        topics, partitions = cursor.fetchone()
    most, partitions_most = (getattr(settings, name) for name in MAXIMA)
    return rules.Room(most - topics, partitions_most - partitions)
