"""Generates, from a declaration, a function that writes one version of it.

The function gathers pieces of bytes in a list and joins them once; a message of
fixed fields only is one ``struct`` call, its empty tag byte included. This file
makes the function and never writes a byte.

Names in the functions made: ``v`` the message, ``out`` the list, ``whole`` what was joined of it,
``b1`` … a string or bytes at hand, ``a1`` … a sequence, ``v1`` … an element.
"""

from collections.abc import Callable
from struct import Struct as Packer
from struct import pack
from typing import Any

from rollcall.wire import primitives
from rollcall.wire.declare import Field, Message, layout
from rollcall.wire.kept import encoding
from rollcall.wire.kinds import Array, Blob, Fixed, Kind, Struct, Text, uuid
from rollcall.wire.source import Source

Encoder = Callable[[Any], bytes]


def _gathered(whole: bytearray, out: list[bytes]) -> bytearray:
    """The joined pieces, with the later ones."""
    whole += b"".join(out)
    out.clear()
    return whole


_NAMES: dict[str, object] = {
    "pack": pack,
    "int16": Packer(">h").pack,
    "int32": Packer(">i").pack,
    "TEXT_SIZES": primitives.TEXT_SIZES,
    "SIZES": primitives.SIZES,
    "uvarint": primitives.uvarint,
    "tagged": primitives.tagged,
    "gathered": _gathered,
    "encoding": encoding,
}

_LEGACY_NULL = {"int16": r'b"\xff\xff"', "int32": r'b"\xff\xff\xff\xff"'}


def compile_encoder(cls: type[Message], version: int, pieces_max: int | None = None) -> Encoder:
    """Returns a function message -> bytes; fields that this version lacks are omitted.

    ``pieces_max``: after an element of an array this many pieces are joined, since those of a large
    message would take thirty times the memory of its bytes; None: all at the end, which is faster.
    """
    maker = _Maker(version, cls.flexible(version), pieces_max)
    maker.struct(cls, "v")
    maker.finish()
    return maker.source.function(f"encode_{cls.__name__}_v{version}", "v")


def _compile_array(kind: Array, version: int, flexible: bool, pieces_max: int | None) -> Encoder:
    """A function sequence -> bytes, for an array that is encoded by itself."""
    maker = _Maker(version, flexible, pieces_max)
    maker.elements(kind.element, "v")
    maker.finish()
    return maker.source.function(f"encode_many_{kind.name[2:]}_v{version}", "v")


class _Maker:
    """Generates the lines. ``run``: fixed fields to pack together; ``pieces``: those after them."""

    def __init__(self, version: int, flexible: bool, pieces_max: int | None) -> None:
        self.source = Source(_NAMES)
        self.pieces_max = pieces_max
        self.version = version
        self.flexible = flexible
        self.out = "out"
        self.run: list[tuple[str, str]] = []
        self.pieces: list[str] = []

    # -- pieces ----------------------------------------------------------------

    def piece(self, text: str) -> None:
        """Add an expression that returns bytes."""
        self.pack_run()
        self.pieces.append(text)

    def pack_run(self) -> None:
        """Convert the run of fixed fields to one piece. The code ``x`` is a zero byte."""
        if not self.run:
            return
        codes = "".join(code for code, _ in self.run)
        if codes.strip("x"):
            packer = self.source.method(codes, "pack")
            values = ", ".join(value for code, value in self.run if code != "x")
            self.pieces.append(f"{packer}({values})")
        else:
            self.pieces.append(repr(bytes(len(codes))))
        self.run = []

    def flush(self) -> None:
        """Write the pieces: needed at the begin and end of a loop or a branch."""
        self.pack_run()
        if len(self.pieces) == 1:
            self.source.line(f"{self.out}.append({self.pieces[0]})")
        elif self.pieces:
            self.source.line(f"{self.out} += ({', '.join(self.pieces)})")
        self.pieces = []

    def finish(self) -> None:
        """Return the bytes: joined, or as they are if there is only one piece."""
        if self.source.lines:
            self.flush()
            self.source.lines.insert(0, "    out = []")
            if self.pieces_max is not None:
                self.source.lines.insert(0, "    whole = bytearray()")
                self.source.line("return bytes(gathered(whole, out))")
            else:
                self.source.line('return b"".join(out)')
            return
        self.pack_run()
        if len(self.pieces) < 2:
            self.source.line(f"return {''.join(self.pieces) or repr(b'')}")
        else:
            self.source.line(f'return b"".join(({", ".join(self.pieces)}))')

    # -- values ----------------------------------------------------------------

    def value(self, kind: Kind, nullable: bool, expression: str) -> None:
        """Write one value of any kind."""
        if isinstance(kind, Fixed):
            self.run.append((kind.code, f"{expression}.bytes" if kind is uuid else expression))
        elif isinstance(kind, Array):
            self.array(kind, nullable, expression)
        elif isinstance(kind, Text | Blob):
            self.sized(kind, nullable, expression)
        elif nullable:
            self.nullable_struct(kind, expression)
        else:
            var = self.source.fresh("v")
            self.flush()
            self.source.line(f"{var} = {expression}")
            self.struct(kind, var)

    def sized(self, kind: Text | Blob, nullable: bool, expression: str) -> None:
        """A string or bytes: its length, then itself."""
        text = isinstance(kind, Text)
        var = self.source.fresh("b")
        raw = f"{var}.encode()" if text else var
        legacy = "int16" if text else "int32"
        sizes = "TEXT_SIZES" if text else "SIZES"
        if nullable:
            null = repr(b"\0") if self.flexible else _LEGACY_NULL[legacy]
            length = f"len({var} := {raw})"
            size = f"{sizes}[{length}]" if self.flexible else f"{legacy}({length})"
            self.piece(f"({null} if ({var} := {expression}) is None else {size} + {var})")
            return
        length = f"len({var} := {expression}{'.encode()' if text else ''})"
        if self.flexible:
            self.piece(f"{sizes}[{length}]")
        else:
            self.run.append(("h" if text else "i", length))
        self.piece(var)

    def array(self, kind: Array, nullable: bool, expression: str) -> None:
        if kind.kept and not nullable:
            encode = _compile_array(kind, self.version, self.flexible, self.pieces_max)
            name = self.source.constant("encode", encode)
            self.piece(f"encoding({expression}, {self.version}, {name})")
            return
        if not nullable:
            self.elements(kind.element, expression)
            return
        var = self.source.fresh("a")
        self.flush()
        with self.source.block(f"if ({var} := {expression}) is None:"):
            self.piece(repr(b"\0") if self.flexible else _LEGACY_NULL["int32"])
            self.flush()
        with self.source.block("else:"):
            self.elements(kind.element, var)
            self.flush()

    def elements(self, element: Kind, expression: str) -> None:
        """The count, then each element."""
        items, item = self.source.fresh("a"), self.source.fresh("v")
        length = f"len({items} := {expression})"
        if self.flexible:
            self.piece(f"SIZES[{length}]")
        else:
            self.run.append(("i", length))
        if isinstance(element, Fixed) and element is not uuid:
            self.piece(f"pack(f'>{{len({items})}}{element.code}', *{items})")
            return
        self.flush()
        with self.source.block(f"for {item} in {items}:"):
            if isinstance(element, type):
                self.struct(element, item)
            else:
                self.value(element, False, item)
            self.flush()
            if self.pieces_max is not None and self.out == "out":
                with self.source.block(f"if len(out) > {self.pieces_max}:"):
                    self.source.line("gathered(whole, out)")

    # -- structs ---------------------------------------------------------------

    def struct(self, cls: type[Struct], var: str) -> None:
        plain, tagged, _ = layout(cls, self.version)
        for field in plain:
            self.value(field.kind, field.nullable(self.version), f"{var}.{field.name}")
        if not self.flexible:
            return
        if tagged:
            self.tags(tagged, var)
        else:
            self.run.append(("x", ""))

    def nullable_struct(self, cls: type[Struct], expression: str) -> None:
        """One byte for present or null: 1 or -1 (KIP-893)."""
        var = self.source.fresh("v")
        self.flush()
        with self.source.block(f"if ({var} := {expression}) is None:"):
            self.piece(r'b"\xff"')
            self.flush()
        with self.source.block("else:"):
            self.piece(r'b"\x01"')
            self.struct(cls, var)
            self.flush()

    def tags(self, fields: tuple[Field, ...], var: str) -> None:
        """The tagged fields that differ from their defaults, in the order of their tags."""
        self.flush()
        outer, tags, value = self.out, self.source.fresh("g"), self.source.fresh("w")
        self.source.line(f"{tags} = []")
        for field in fields:
            with self.source.block(f"if {self.differs(field, f'{var}.{field.name}')}:"):
                self.source.line(f"{value} = []")
                self.out = value
                self.value(field.kind, field.nullable(self.version), f"{var}.{field.name}")
                self.flush()
                self.out = outer
                self.source.line(f"{tags}.append(tagged({field.tag}, {value}))")
        self.piece(f"uvarint(len({tags}))")
        self.piece(f"*{tags}")
        self.flush()

    def differs(self, field: Field, expression: str) -> str:
        """A condition: the field's value is not its default."""
        factory = field.default_factory
        if factory is list:
            return expression
        if factory is None and field.default is None:
            return f"{expression} is not None"
        default = factory() if factory else field.default
        return f"{expression} != {self.source.constant('default', default)}"
