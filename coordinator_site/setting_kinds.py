"""The kinds of settings: a number between bounds, one word of several, a list. Each reads and
checks the text of its variable.

Standard library only: the launcher reads the table of settings (``kafka_settings``) before it
starts anything.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from ipaddress import ip_network

INT32_MAX = 2**31 - 1
DAY_MS = 86_400_000
PLUG_INS = "rollcall.assignors"

Value = int | bool | str | tuple[str, ...]


class SettingError(ValueError):
    """A variable has a value that the setting does not allow; the text names the variable."""


@dataclass(frozen=True, slots=True)
class Setting(ABC):
    """One setting; the kinds differ in ``parse``."""

    name: str
    default: Value
    reason: str

    @property
    @abstractmethod
    def kind(self) -> str:
        """Kafka's name of the value's type."""

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"ROLLCALL_{self.attribute}"

    @property
    def attribute(self) -> str:
        """The name as a Django setting."""
        return self.name.replace(".", "_").upper()

    @property
    def bounds(self) -> str:
        """The allowed values, in words; "" if the kind says it all."""
        return ""

    @abstractmethod
    def parse(self, text: str) -> Value:
        """The value of a text; ``SettingError`` if it is invalid."""

    def refuse(self, expected: str, text: str) -> SettingError:
        """The error message for an invalid text."""
        return SettingError(f"{self.variable} ({self.name}) must be {expected}, not {text!r}.")


@dataclass(frozen=True, slots=True)
class Number(Setting):
    """A whole number between two bounds, both included."""

    least: int = 0
    most: int = INT32_MAX
    kind = "INT"

    @property
    def bounds(self) -> str:
        """Includes the upper bound only if it differs from the type's."""
        return f"{self.least} to {self.most}" if self.most < INT32_MAX else f"from {self.least}"

    def parse(self, text: str) -> int:
        """Digits, perhaps with a sign."""
        try:
            number = int(text)
        except ValueError:
            raise self.refuse("a whole number", text) from None
        if not self.least <= number <= self.most:
            raise self.refuse(f"between {self.least} and {self.most}", text)
        return number


@dataclass(frozen=True, slots=True)
class Flag(Setting):
    """True or false."""

    kind = "BOOLEAN"

    def parse(self, text: str) -> bool:
        """Kafka's two words, in either case."""
        if text.lower() not in ("true", "false"):
            raise self.refuse("true or false", text)
        return text.lower() == "true"


@dataclass(frozen=True, slots=True)
class Text(Setting):
    """Any text of one line."""

    kind = "STRING"

    def parse(self, text: str) -> str:
        """The text itself."""
        if not text.isprintable():
            raise self.refuse("one line of printable text", text)
        return text


@dataclass(frozen=True, slots=True)
class Link(Text):
    """A URL of https or http, or nothing."""

    def parse(self, text: str) -> str:
        """The text itself, if a page may link to it."""
        if text and not text.startswith(("https://", "http://")):
            raise self.refuse("a URL of https or http", text)
        return super(Link, self).parse(text)


@dataclass(frozen=True, slots=True)
class Networks(Setting):
    """Networks in CIDR notation, with commas between."""

    kind = "STRING"

    def parse(self, text: str) -> str:
        """The text itself, if each network is valid."""
        for part in filter(None, map(str.strip, text.split(","))):
            try:
                ip_network(part)
            except ValueError:
                raise self.refuse("a list of networks such as 10.1.0.0/16", text) from None
        return text


@dataclass(frozen=True, slots=True)
class Principals(Setting):
    """Kafka's principals, with semicolons between: a name may have commas (``User:CN=a,O=b``)."""

    kind = "STRING"

    def parse(self, text: str) -> str:
        """The text itself, if each has a type and a name."""
        for part in filter(None, map(str.strip, text.split(";"))):
            kind, _, name = part.partition(":")
            if not (kind and name and part.isprintable()):
                raise self.refuse("a list of Type:name with semicolons between", text)
        return text


@dataclass(frozen=True, slots=True)
class RoleNames(Setting):
    """Groups of people, each with a role: ``group=role`` with semicolons between. A group's name
    may have commas and equals signs (``cn=ops,ou=x=Operator``)."""

    kind = "STRING"

    def parse(self, text: str) -> str:
        """The text itself, if each has a group and a role."""
        for part in filter(None, map(str.strip, text.split(";"))):
            group, _, role = part.rpartition("=")
            if not (group.strip() and role.strip() and part.isprintable()):
                raise self.refuse("a list of group=role with semicolons between", text)
        return text


@dataclass(frozen=True, slots=True)
class Pattern(Setting):
    """A regular expression. The code that uses it checks its syntax: this file does not know
    RE2."""

    kind = "STRING"

    def parse(self, text: str) -> str:
        """The text itself, if Python can compile it, too."""
        try:
            re.compile(text)
        except re.error as error:
            raise self.refuse(f"a regular expression ({error})", text) from None
        return text


@dataclass(frozen=True, slots=True)
class Choice(Setting):
    """One of a few words."""

    choices: tuple[str, ...] = ()
    kind = "STRING"

    @property
    def bounds(self) -> str:
        """The words."""
        return ", ".join(self.choices)

    def parse(self, text: str) -> str:
        """The word, in either case."""
        if text.lower() not in self.choices:
            raise self.refuse(f"one of {', '.join(self.choices)}", text)
        return text.lower()


@dataclass(frozen=True, slots=True)
class Choices(Setting):
    """Some of a few words, in the order given, none twice; at least one, and all ``needed``."""

    choices: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    kind = "LIST"

    @property
    def bounds(self) -> str:
        """The words."""
        return f"some of {', '.join(self.choices)}"

    def parse(self, text: str) -> tuple[str, ...]:
        """Words with commas between."""
        words = tuple(word.strip().lower() for word in text.split(",") if word.strip())
        if not words or not set(words) <= set(self.choices) or len(set(words)) != len(words):
            raise self.refuse(f"a list of some of {', '.join(self.choices)}", text)
        if not set(self.needed) <= set(words):
            raise self.refuse(f"a list with {', '.join(self.needed)}", text)
        return words


@dataclass(frozen=True, slots=True)
class Pairs(Setting):
    """Names, each with its value."""

    kind = "LIST"

    def parse(self, text: str) -> tuple[str, ...]:
        """``name=value`` separated by commas; no name twice. Empty means none."""
        words = tuple(word.strip() for word in text.split(",") if word.strip())
        pairs = [[part.strip() for part in word.split("=", 1)] for word in words]
        whole = all(len(pair) == 2 and all(pair) for pair in pairs)
        if not whole or len({pair[0] for pair in pairs}) != len(pairs):
            raise self.refuse("a list of name=value, no name twice", text)
        return tuple("=".join(pair) for pair in pairs)


@dataclass(frozen=True, slots=True)
class Assignors(Choices):
    """Assignors' names: built-in ones, and those that an installed package brings."""

    def parse(self, text: str) -> tuple[str, ...]:
        """Names separated by commas; installed packages are searched only for a name that is not
        built in."""
        words = {word.strip().lower() for word in text.split(",")}
        names = self.choices
        if not words <= set(names):
            # Rarely needed, and a third of the memory of the launcher, which reads this too.
            from importlib.metadata import entry_points

            names = (*names, *sorted(entry_points(group=PLUG_INS).names))
        return Choices(self.name, self.default, self.reason, names).parse(text)


@dataclass(frozen=True, slots=True)
class Mechanisms(Choices):
    """SASL mechanisms and token algorithms, which are written in upper case."""

    def parse(self, text: str) -> tuple[str, ...]:
        """Names separated by commas, in either case."""
        words = {name.lower(): name for name in self.choices}
        chosen = Choices(self.name, self.default, self.reason, tuple(words)).parse(text)
        return tuple(words[word] for word in chosen)
