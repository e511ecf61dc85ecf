"""Resources that have a configuration: their types, and whether one exists."""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.errors import ErrorCode, Refuse
from groups.core.topics import check_name
from protocol.handlers.support import validation
from protocol.handlers.support.kafkas_words import NO_CONFIG_OF_TOPIC
from protocol.requests.call import Call


class Resource(IntEnum):
    """Kafka's numbers of the resources that have a configuration here."""

    TOPIC = 2
    BROKER = 4
    GROUP = 32  # KIP-848


KAFKAS: Final = frozenset({*Resource, 8, 16})
"""The types that Kafka has; loggers of brokers (8) and client metrics (16) are not supported
here."""

UNSURE = "The database did not answer."


def kind(number: int) -> Resource:
    """The type of a number; INVALID_REQUEST if that has no configuration here."""
    try:
        return Resource(number)
    except ValueError:
        detail = f"Resources of type {number} have no configuration here."
        raise Refuse(ErrorCode.INVALID_REQUEST, detail) from None


class Named(Protocol):
    """A resource that a request names."""

    resource_type: int
    resource_name: str


class Topics(NamedTuple):
    """The topics of a request that exist, as far as this node knows."""

    found: Mapping[str, CatalogueEntry]
    is_sure: bool

    def check(self, name: str) -> None:
        """Refuse a topic that does not exist, or whose name is invalid."""
        check_name(name)
        if name in self.found:
            return
        if not self.is_sure:
            raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE, UNSURE)
        raise Refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, NO_CONFIG_OF_TOPIC.format(name))


async def topics(resources: Iterable[Named], call: Call) -> Topics:
    """Look up all topics of the request at once."""
    names = [r.resource_name for r in resources if r.resource_type == Resource.TOPIC]
    catalogue = call.node.catalogue
    try:
        return Topics(await catalogue.find_many(names), is_sure=True)
    except Unavailable:
        return Topics(catalogue.known(names), is_sure=False)


def is_default_broker(name: str, call: Call) -> bool:
    """Whether the resource is all brokers (""), not this one; INVALID_REQUEST for another
    broker."""
    if name not in ("", str(call.node.node_id)):
        detail = f"This is broker {call.node.node_id}, which knows nothing of broker {name!r}."
        raise Refuse(ErrorCode.INVALID_REQUEST, detail)
    return not name


def is_group(name: str, call: Call) -> bool:
    """Whether the group id is valid."""
    try:
        check_group(name, call)
    except Refuse:
        return False
    return True


def check_group(name: str, call: Call) -> None:
    """Refuse an invalid group id. The group need not exist (KIP-1142): it can be configured
    before."""
    if not name:
        raise Refuse(ErrorCode.INVALID_REQUEST, "The group id cannot be empty.")
    validation.group_id(name, call.node.settings)
