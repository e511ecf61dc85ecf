"""Groups of members that subscribe to the same topics, by chance, and a line of each for Java."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final, NamedTuple
from uuid import UUID

from console.foresight import java_sticky
from groups.core.assignors.types import Parts, Subscriber

RULES: Final = {
    "sticky": java_sticky.assign,
    "cooperative-sticky": java_sticky.assign_cooperatively,
}
TOPICS: Final = ("t", "b", "a-long-one", "Zz", "m.1", "e10", "t10")
CLIENTS: Final = ("consumer-orders-1", "äpp-\N{SMILING FACE WITH SUNGLASSES}", "w")


class Group(NamedTuple):
    """Partition counts by topic, and what each member owns."""

    counts: Mapping[str, int]
    members: Mapping[str, Parts]

    @property
    def subscribers(self) -> Sequence[Subscriber]:
        """Its members as an assignor sees them."""
        topics = frozenset(self.counts)
        return [Subscriber(one, None, topics, held) for one, held in self.members.items()]


def _id(chance: Random) -> str:
    return f"{chance.choice(CLIENTS)}-{UUID(int=chance.getrandbits(128))}"


def _new(chance: Random, most: int) -> dict[str, Parts]:
    return {_id(chance): frozenset() for _ in range(chance.randrange(1, most))}


def fresh(chance: Random) -> Group:
    """One whose members own nothing; some are larger than a ``HashMap`` is at first."""
    is_large = chance.random() < 0.1
    topics = chance.sample(TOPICS, chance.randrange(1, 5))
    counts = {topic: chance.randrange(1, 200 if is_large else 14) for topic in topics}
    return Group(counts, _new(chance, 100 if is_large else 16))


def changed(group: Group, chance: Random) -> Group:
    """Members come or go, a topic grows, or what members own is not even."""
    return chance.choice((_left, _joined, _grown, _uneven))(group, chance)


def _left(group: Group, chance: Random) -> Group:
    stay = chance.sample(list(group.members), chance.randrange(1, len(group.members) + 1))
    return group._replace(members={one: group.members[one] for one in stay})


def _joined(group: Group, chance: Random) -> Group:
    return group._replace(members={**group.members, **_new(chance, 5)})


def _grown(group: Group, chance: Random) -> Group:
    topic = chance.choice(list(group.counts))
    more = group.counts[topic] + chance.randrange(1, 9)
    return group._replace(counts={**group.counts, topic: more})


def _uneven(group: Group, chance: Random) -> Group:
    ids = list(group.members)
    owners = {
        (topic, n): chance.choice(ids)
        for topic, count in group.counts.items()
        for n in range(count)
    }
    return group._replace(
        members={one: frozenset(p for p, owner in owners.items() if owner == one) for one in ids}
    )


def written(name: str, group: Group) -> str:
    """The line that ``java/.../Sticky.java`` reads."""
    counts = ",".join(f"{topic}={count}" for topic, count in group.counts.items())
    members = (
        f"{one}=" + (",".join(f"{topic}:{n}" for topic, n in sorted(held)) or "-")
        for one, held in group.members.items()
    )
    return " ".join((name, counts, *members))


def read(line: str) -> tuple[str, Group]:
    """The other way around."""
    name, counts, *members = line.split()
    numbers = dict(each.split("=") for each in counts.split(","))
    held = dict(each.split("=") for each in members)
    lists = {one: [] if text == "-" else text.split(",") for one, text in held.items()}
    return name, Group({topic: int(n) for topic, n in numbers.items()}, owned(lists))


def owned(lists: Mapping[str, Sequence[str]]) -> dict[str, Parts]:
    """What each member owns, from ``TOPIC:NUMBER``."""
    split = {one: [part.rsplit(":", 1) for part in parts] for one, parts in lists.items()}
    return {one: frozenset((topic, int(n)) for topic, n in parts) for one, parts in split.items()}
