"""The machines of clients, by the protocol that they speak."""

from collections.abc import Mapping
from typing import Final

from pipeline.what_if.classic_member import ClassicMember
from pipeline.what_if.clients import Client
from pipeline.what_if.consumer_member import ConsumerMember
from pipeline.what_if.member import Member
from pipeline.what_if.reactions import Reactions
from pipeline.what_if.world import World

CLASSES: Final[Mapping[str, type[Member]]] = {"classic": ClassicMember, "consumer": ConsumerMember}
"""By the protocol that a life's member spoke."""


def member(world: World, client: Client, reactions: Reactions) -> Member:
    """The machine of a client."""
    return CLASSES[client.life.kind](world, client, reactions)
