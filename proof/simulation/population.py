"""The population of a life besides the nodes: which protocols, how many members, whether odd
ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from proof.simulation.classic_client import ClassicClient
from proof.simulation.clients import Client
from proof.simulation.commanded_client import CommandedClient
from proof.simulation.consumer_client import ConsumerClient
from proof.simulation.draft_client import DraftClient

Protocol = type[Client]

ALL: Final[Sequence[Protocol]] = (ClassicClient, ConsumerClient, DraftClient, CommandedClient)

SHARES: Final = (0.35, 0.25, 0.2, 0.2)
"""How many groups of a life have each protocol."""

PRODUCERS_SHARE: Final = 0.35
ODD_SHARE: Final = 0.25
"""Of the lives."""

BIG_EVERY: Final = 50
"""The first group of the last of so many seeds is big: such a life costs as much as twenty
others."""


@dataclass(frozen=True)
class Population:
    """``producers``: how many processes commit offsets in transactions; ``is_big``: the first group
    has hundreds of members and a thousand partitions; ``is_odd``: names, notes and offsets are at
    their limits."""

    protocols: Sequence[Protocol] = (ClassicClient, ClassicClient, ConsumerClient)
    producers: int = 0
    is_big: bool = False
    is_odd: bool = False

    def protocol(self, rng: Random) -> Protocol:
        """The protocol of one group."""
        return rng.choice(self.protocols)


PLAIN: Final = Population()
"""Classic and consumer groups, and nothing unusual."""


def drawn(seed: int, rng: Random) -> Population:
    """The population of a life, by its seed."""
    return Population(
        protocols=rng.choices(ALL, SHARES, k=3),
        producers=rng.choice([1, 2, 3]) if rng.random() < PRODUCERS_SHARE else 0,
        is_odd=rng.random() < ODD_SHARE,
        is_big=seed % BIG_EVERY == BIG_EVERY - 1,
    )
