"""The committed transactions in commit order: a parser of PostgreSQL's ``pgoutput``.

Pure: bytes of the logical replication protocol, version 1, in; transactions out (PostgreSQL's
documentation, *Logical Replication Message Formats*). Does not know what the rows mean.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

EPOCH_2000_S: Final = 946_684_800
"""PostgreSQL counts from the year 2000, Unix from 1970."""

Values = Mapping[str, str | None]
"""A row: column name to its text, None if it is NULL. A deleted one has its key only."""


class Change(NamedTuple):
    """One row that a transaction wrote or deleted."""

    table: str
    values: Values
    is_gone: bool


class LogMessage(NamedTuple):
    """A message written to the log by ``pg_logical_emit_message``."""

    prefix: str
    text: str


@dataclass(frozen=True, slots=True)
class Transaction:
    """One committed transaction. ``wall_s`` is the server's clock when it wrote its commit: just
    before it became visible. ``lsn`` increases from commit to commit."""

    lsn: int
    wall_s: float
    changes: list[Change] = field(default_factory=list)
    messages: list[LogMessage] = field(default_factory=list)


class Relation(NamedTuple):
    """A table as the stream describes it before its first row."""

    name: str
    columns: tuple[str, ...]


class Reader:
    """Reads one message from front to back."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 1  # after the letter with the message's type

    def take(self, form: str) -> int:
        """One number of a ``struct`` form."""
        (found,) = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return int(found)

    def bytes(self, size: int) -> bytes:
        """The next bytes."""
        self.at += size
        return self.data[self.at - size : self.at]

    def string(self) -> str:
        """Text up to its zero byte."""
        end = self.data.index(b"\0", self.at)
        found = self.data[self.at : end].decode()
        self.at = end + 1
        return found

    def row(self, columns: Iterable[str]) -> Values:
        """A tuple of columns in text form; one that was not sent (unchanged) is left out."""
        assert self.take("h") >= 0
        found: dict[str, str | None] = {}
        for name in columns:
            match self.bytes(1):
                case b"n":
                    found[name] = None
                case b"t":
                    found[name] = self.bytes(self.take("i")).decode()
        return found


class Stream:
    """Remembers the tables: each is described once per session."""

    def __init__(self) -> None:
        self._relations: dict[int, Relation] = {}

    def transactions(self, messages: Iterable[bytes]) -> Iterator[Transaction]:
        """The transactions of whole messages, as one call of
        ``pg_logical_slot_get_binary_changes`` gives them."""
        transaction: Transaction | None = None
        for data in messages:
            read, letter = Reader(data), data[:1]
            if letter == b"B":
                lsn, micros = read.take("q"), read.take("q")
                transaction = Transaction(lsn, micros / 1e6 + EPOCH_2000_S)
            elif letter == b"R":
                self._describe(read)
            elif transaction is None:
                continue  # a message outside any transaction
            elif letter == b"C":
                yield transaction
                transaction = None
            else:
                self._note(transaction, letter, read)

    def _describe(self, read: Reader) -> None:
        number = read.take("i")
        read.string()  # the schema
        name = read.string()
        read.take("b")  # what identifies a row
        columns = []
        for _ in range(read.take("h")):
            read.take("b")
            columns.append(read.string())
            read.bytes(8)  # type and modifier
        self._relations[number] = Relation(name, tuple(columns))

    def _note(self, transaction: Transaction, letter: bytes, read: Reader) -> None:
        if letter == b"M":
            read.bytes(9)  # flags and position
            prefix = read.string()
            transaction.messages.append(LogMessage(prefix, read.bytes(read.take("i")).decode()))
        elif letter in b"IUD":
            self._change(transaction, letter, read)

    def _change(self, transaction: Transaction, letter: bytes, read: Reader) -> None:
        relation = self._relations[read.take("i")]
        kind = read.bytes(1)
        if letter == b"U" and kind in b"KO":  # the old key comes before the new row
            old = read.row(relation.columns)
            transaction.changes.append(Change(relation.name, old, True))
            kind = read.bytes(1)
        values = read.row(relation.columns)
        transaction.changes.append(Change(relation.name, values, letter == b"D"))
