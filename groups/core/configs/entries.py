"""Configuration as Kafka's admin clients see it: words, numbers, and one entry of a response.

Numbers are those of DescribeConfigs and IncrementalAlterConfigs. The settings are in ``group`` and
``topic``; those of brokers come from outside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum


class ConfigType(IntEnum):
    """The type of a value (KIP-569)."""

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
    """The operation on a value (KIP-339)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@dataclass(frozen=True, slots=True)
class Synonym:
    """A name under which a value can be set, the value there, and its source."""

    name: str
    value: str | None
    source: Source


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One setting of a resource, as described. ``synonyms``: the effective one first."""

    name: str
    value: str | None
    type: ConfigType
    source: Source
    is_read_only: bool
    documentation: str
    synonyms: Sequence[Synonym] = ()


@dataclass(frozen=True, slots=True)
class BrokerConfig:
    """A setting of a node: its value, and its default."""

    name: str
    type: ConfigType
    value: str
    default: str
    documentation: str

    @property
    def synonyms(self) -> tuple[Synonym, ...]:
        """The value that was set, if any, and the default."""
        default = Synonym(self.name, self.default, Source.DEFAULT)
        if self.value == self.default:
            return (default,)
        return (Synonym(self.name, self.value, Source.STATIC_BROKER), default)

    @property
    def entry(self) -> ConfigEntry:
        """As described: no setting of a node can be changed while it runs."""
        synonyms = self.synonyms
        source = synonyms[0].source
        return ConfigEntry(
            self.name, self.value, self.type, source, True, self.documentation, synonyms
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A requested change of one setting. ``operation`` is the number in the request."""

    name: str
    operation: int
    value: str | None
