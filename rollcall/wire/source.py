"""Generates a function: lines of Python, the names they use, runs of fixed fields.

Shared by ``decoding`` and ``encoding``; it knows nothing of Kafka. All text in a line is from this
package or the name of a declared field: nothing from a peer is ever used here.
"""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Source:
    """Lines of one function and the values of its names."""

    def __init__(self, names: dict[str, object]) -> None:
        self.lines: list[str] = []
        self.names = dict(names)
        self._depth = 1
        self._count = 0
        self._methods: dict[tuple[str, str], str] = {}

    def line(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head`` and the indented lines that are written inside."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    def fresh(self, stem: str) -> str:
        """A local name that no other line uses."""
        self._count += 1
        return f"{stem}{self._count}"

    def constant(self, stem: str, value: object) -> str:
        """A name for ``value``, the same name for the same object."""
        for name, known in self.names.items():
            if known is value and name.startswith(stem):
                return name
        name = self.fresh(stem)
        self.names[name] = value
        return name

    def method(self, codes: str, name: str) -> str:
        """A name for the method ``name`` of the big-endian ``struct.Struct`` of ``codes``."""
        if (codes, name) not in self._methods:
            method = getattr(struct.Struct(">" + codes), name)
            self._methods[codes, name] = self.constant(name, method)
        return self._methods[codes, name]

    def function(self, name: str, parameters: str) -> Callable[..., Any]:
        """Compile the lines. The file name in a traceback is the function's."""
        text = "\n".join([f"def {name}({parameters}):", *self.lines])
        names: dict[str, Any] = dict(self.names)
        exec(compile(text, f"<{name}>", "exec"), names)
        made: Callable[..., Any] = names[name]
        return made
