"""Configuration as Kafka's admin clients see it: words, numbers, and one entry of an answer.

Numbers are those of DescribeConfigs and IncrementalAlterConfigs. What there is to configure
stands in ``group`` and ``topic``; a broker's settings come from outside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum


class ConfigType(IntEnum):
    """How a value is to be read (KIP-569)."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    LONG = 5
    DOUBLE = 6
    LIST = 7


class Source(IntEnum):
    """Where a value comes from (KIP-226, KIP-848)."""

    STATIC_BROKER = 4
    DEFAULT = 5
    GROUP = 8


class ConfigOperation(IntEnum):
    """What is to be done with a value (KIP-339)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@dataclass(frozen=True, slots=True)
class Synonym:
    """A name under which a value may be given, the value there, and where it comes from."""

    name: str
    value: str | None
    source: Source


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One setting of a resource, as it is described. ``synonyms``: the one that counts first."""

    name: str
    value: str | None
    type: ConfigType
    source: Source
    is_read_only: bool
    documentation: str
    synonyms: Sequence[Synonym] = ()


@dataclass(frozen=True, slots=True)
class BrokerConfig:
    """A setting of a node: what it is here, and what it is where nobody says otherwise."""

    name: str
    type: ConfigType
    value: str
    default: str
    documentation: str

    @property
    def synonyms(self) -> tuple[Synonym, ...]:
        """Its own value where somebody gave one, and the default."""
        default = Synonym(self.name, self.default, Source.DEFAULT)
        if self.value == self.default:
            return (default,)
        return (Synonym(self.name, self.value, Source.STATIC_BROKER), default)

    @property
    def entry(self) -> ConfigEntry:
        """As it is described: nothing of a node's settings can be changed while it runs."""
        synonyms = self.synonyms
        source = synonyms[0].source
        return ConfigEntry(
            self.name, self.value, self.type, source, True, self.documentation, synonyms
        )


@dataclass(frozen=True, slots=True)
class Change:
    """What a request wants of one setting. ``operation`` is the number as it was sent."""

    name: str
    operation: int
    value: str | None
