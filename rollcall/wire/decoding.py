"""From a declaration to a function that reads one version of it.

The function is straight-line Python: structs are read in place, not by calls, and
fields of fixed size that stand side by side, with the length byte behind them,
are one ``struct`` call. This file makes the function and never reads a byte.

Names in the functions made: ``data`` the frame, ``o`` the offset, ``end`` the length of
``data``, ``budget`` how many elements the frame may still have, ``n`` a length just read.

How bytes are kept from doing harm:
- a length below zero is null or refused, so ``o`` only grows, and one look at the end
  of the function finds every value that ran out of the frame;
- a count is held against the budget and against the bytes left before anything is made.
"""

from collections.abc import Callable
from itertools import repeat
from struct import calcsize, unpack_from
from typing import Any, Final

from rollcall.wire import primitives
from rollcall.wire.declare import Field, Message, layout
from rollcall.wire.kinds import Array, Blob, Fixed, Kind, Struct, Text, uuid
from rollcall.wire.source import Source

Decoder = Callable[[bytes, int, int], Any]

_NAMES: dict[str, object] = {
    "new": object.__new__,
    "repeat": repeat,
    "unpack_from": unpack_from,
    **{
        name: getattr(primitives, name)
        for name in (
            "read_blob", "read_repaired", "read_tag", "read_tag_count", "read_text",
            "read_uvarint", "refuse_count", "refuse_null", "refuse_tag_size", "refuse_truncated",
            "repaired", "skip_tags", "uuid_of",
        )
    },
}  # fmt: skip


STRICTLY: Final = ("{}.decode()", "read_text")
REPAIRED: Final = ("repaired({})", "read_repaired")
"""How texts are read: what becomes of the bytes of a short one, and what reads a long compact one.
The first raises UnicodeDecodeError for one that is not UTF-8."""


def compile_decoder(cls: type[Message], version: int, reads: tuple[str, str] = STRICTLY) -> Decoder:
    """Returns a function (data, offset, budget) -> instance; see ``codec.decode`` for its errors.
    ``reads``: how texts are read."""
    maker = _Maker(version, cls.flexible(version), reads)
    maker.source.line("end = len(data)")
    maker.struct(cls, "v")
    maker.settle()
    with maker.source.block("if o > end:"):
        maker.source.line("refuse_truncated()")
    maker.source.line("return v")
    return maker.source.function(f"decode_{cls.__name__}_v{version}", "data, o, budget")


def bytes_min(kind: Kind, version: int, *, flexible: bool, nullable: bool) -> int:
    """The minimum number of bytes of a value of ``kind``."""
    if isinstance(kind, Fixed):
        return kind.size
    if isinstance(kind, Text):
        return 1 if flexible else 2
    if isinstance(kind, Blob | Array):
        return 1 if flexible else 4
    if nullable:
        return 1
    return int(flexible) + sum(
        bytes_min(f.kind, version, flexible=flexible, nullable=f.nullable(version))
        for f in layout(kind, version).plain
    )


class _Maker:
    """Generates the lines. ``run``: fixed fields not read yet; ``ahead``: bytes read after
    ``o``."""

    def __init__(self, version: int, flexible: bool, reads: tuple[str, str]) -> None:
        self.source = Source(_NAMES)
        self.version = version
        self.flexible = flexible
        self.short_text, self.long_text = reads
        self.run: list[tuple[str, str]] = []
        self.uuids: list[tuple[str, str]] = []
        self.ahead = 0

    # -- offsets ---------------------------------------------------------------

    def at(self, back: int = 0) -> str:
        """The text of an offset: after everything that was read, minus ``back`` bytes."""
        shift = self.ahead - back
        return f"o + {shift}" if shift else "o"

    def flush(self) -> None:
        """Read the run of fixed fields with one call."""
        if not self.run:
            return
        codes = "".join(code for code, _ in self.run)
        if codes == "B":
            self.source.line(f"{self.run[0][1]} = data[{self.at()}]")
        else:
            unpack = self.source.method(codes, "unpack_from")
            targets = ", ".join(target for _, target in self.run)
            self.source.line(f"{targets}, = {unpack}(data, {self.at()})")
        self.ahead += calcsize(">" + codes)
        for target, raw in self.uuids:
            self.source.line(f"{target} = uuid_of({raw})")
        self.run, self.uuids = [], []

    def settle(self) -> None:
        """Move ``o`` after everything that was read: needed where branches begin or join."""
        self.flush()
        if self.ahead:
            self.source.line(f"o += {self.ahead}")
            self.ahead = 0

    # -- values ----------------------------------------------------------------

    def value(self, kind: Kind, nullable: bool, target: str) -> None:
        """Read one value of any kind into ``target``."""
        if isinstance(kind, Fixed):
            self.fixed(kind, target)
        elif isinstance(kind, Array):
            self.array(kind, nullable, target)
        elif isinstance(kind, Text | Blob):
            self.sized(kind, nullable, target)
        elif nullable:
            self.nullable_struct(kind, target)
        else:
            var = self.source.fresh("v")
            self.struct(kind, var)
            self.source.line(f"{target} = {var}")

    def fixed(self, kind: Fixed, target: str) -> None:
        if kind is not uuid:
            self.run.append((kind.code, target))
            return
        raw = self.source.fresh("u")
        self.run.append((kind.code, raw))
        self.uuids.append((target, raw))

    def sized(self, kind: Text | Blob, nullable: bool, target: str) -> None:
        """A string or bytes: the length joins the run, then a slice of the frame."""
        line, block = self.source.line, self.source.block
        text = isinstance(kind, Text)
        code = "B" if self.flexible else "h" if text else "i"
        self.run.append((code, "n"))
        self.flush()
        start, before = self.at(), self.at(1)
        with block("if 0 < n < 128:" if self.flexible else "if n >= 0:"):
            line(f"e = {before if self.flexible else start} + n")
            line(f"{target} = {(self.short_text if text else '{}').format(f'data[{start}:e]')}")
            line("o = e")
        if self.flexible and nullable:
            with block("elif n == 0:"):
                line(f"{target} = None")
                line(f"o = {start}")
        with block("else:"):
            if self.flexible:
                line(f"{target}, o = {self.long_text if text else 'read_blob'}(data, {before})")
            else:
                line(f"{target} = None" if nullable else "refuse_null()")
                line(f"o = {start}")
        self.ahead = 0

    def array(self, kind: Array, nullable: bool, target: str) -> None:
        line, block = self.source.line, self.source.block
        self.count()
        if not nullable:
            with block("if n < 0:"):
                line("refuse_null()")
            self.elements(kind.element, target)
            return
        with block("if n < 0:"):
            line(f"{target} = None")
        with block("else:"):
            self.elements(kind.element, target)

    def count(self) -> None:
        """Read an array's count into ``n``; below zero is null."""
        self.run.append(("B" if self.flexible else "i", "n"))
        self.settle()
        if self.flexible:
            with self.source.block("if n > 127:"):
                self.source.line("n, o = read_uvarint(data, o - 1)")
            self.source.line("n -= 1")

    def elements(self, element: Kind, target: str) -> None:
        """Check the count, then read ``n`` elements."""
        line, block = self.source.line, self.source.block
        least = bytes_min(element, self.version, flexible=self.flexible, nullable=False)
        line("budget -= n")
        with block(f"if budget < 0 or n * {max(least, 1)} > end - o:"):
            line("refuse_count(n, end - o)")
        if isinstance(element, Fixed) and element is not uuid:
            line(f"{target} = list(unpack_from(f'>{{n}}{element.code}', data, o))")
            line(f"o += {element.size} * n" if element.size > 1 else "o += n")
            return
        items = self.source.fresh("a")
        line(f"{target} = {items} = []")
        with block("for _ in repeat(None, n):"):
            item = self.source.fresh("v")
            if isinstance(element, type):
                self.struct(element, item)
            else:
                self.value(element, False, item)
            self.settle()
            line(f"{items}.append({item})")

    # -- structs ---------------------------------------------------------------

    def struct(self, cls: type[Struct], var: str) -> None:
        """Read a struct into ``var``; its fields are stored directly in their slots."""
        plain, tagged, absent = layout(cls, self.version)
        self.source.line(f"{var} = new({self.source.constant(cls.__name__, cls)})")
        for field in (*absent, *tagged):
            self.default(field, f"{var}.{field.name}")
        for field in plain:
            self.value(field.kind, field.nullable(self.version), f"{var}.{field.name}")
        if self.flexible:
            self.tags(tagged, var)

    def nullable_struct(self, cls: type[Struct], target: str) -> None:
        self.run.append(("b", "n"))
        self.settle()
        with self.source.block("if n < 0:"):
            self.source.line(f"{target} = None")
        with self.source.block("else:"):
            self.value(cls, False, target)
            self.settle()

    def default(self, field: Field, target: str) -> None:
        """A field's value if the version does not have it."""
        factory = field.default_factory
        if factory is list:
            self.source.line(f"{target} = []")
        elif factory:
            self.source.line(f"{target} = {self.source.constant(field.name, factory)}()")
        else:
            self.source.line(f"{target} = {self.source.constant('default', field.default)}")

    def tags(self, known: tuple[Field, ...], var: str) -> None:
        """The tagged fields at the end of a struct: almost always the one byte 0."""
        line, block = self.source.line, self.source.block
        self.run.append(("B", "n"))
        self.settle()
        with block("if n:"):
            if not known:
                line("o, budget = skip_tags(data, o - 1, budget)")
                return
            tag, stop = self.source.fresh("t"), self.source.fresh("s")
            line("n, o, budget = read_tag_count(data, o - 1, budget)")
            with block("for _ in repeat(None, n):"):
                line(f"{tag}, o, {stop} = read_tag(data, o)")
                for word, field in zip(["if", *["elif"] * len(known)], known, strict=False):
                    with block(f"{word} {tag} == {field.tag}:"):
                        nullable = field.nullable(self.version)
                        self.value(field.kind, nullable, f"{var}.{field.name}")
                        self.settle()
                with block("else:"):
                    line(f"o = {stop}")
                with block(f"if o != {stop}:"):
                    line("refuse_tag_size()")
