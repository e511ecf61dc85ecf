"""Output: rows as a table, JSON, YAML or CSV. No command and no request is here."""

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import yaml
from rich.cells import cell_len

Row = Mapping[str, Any]


class OutputLost(Exception):
    """Standard output takes nothing: it is closed, or its disk is full."""


class Output(StrEnum):
    """The output format."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its title, and the field of the row that it shows.

    ``value``: computes the value if no field has it.
    """

    title: str
    field: str
    value: Callable[[Row], Any] | None = None

    def of(self, row: Row) -> Any:
        """The value in this row."""
        return row.get(self.field) if self.value is None else self.value(row)


BEYOND_ASCII: Final = re.compile("[^\n -~]")
"""What JSON has as it is, though some of it controls a terminal."""

ABSENT: Final = "-"
"""What kafka-consumer-groups shows for a missing value."""


def show(rows: Iterable[Row], columns: Sequence[Column], output: Output) -> None:
    """Print a list. JSON and YAML have all fields of REST, the others the columns."""
    if output is Output.JSON:
        say(as_json(list(rows), indent=2))
    elif output is Output.YAML:
        say(_yaml(list(rows)))
    elif output is Output.CSV:
        _csv(rows, columns)
    else:
        for line in lines(rows, columns):
            say(line)


def show_one(row: Row, columns: Sequence[Column], output: Output) -> None:
    """Print one thing: an object in JSON and YAML, a row in the others."""
    if output is Output.JSON:
        say(as_json(row, indent=2))
    elif output is Output.YAML:
        say(_yaml(row))
    else:
        show([row], columns, output)


def lines(rows: Iterable[Row], columns: Sequence[Column]) -> list[str]:
    """A table's lines, each column as wide as its content; nothing is cut or wrapped."""
    cells = [[column.title for column in columns]]
    cells += [[cell(column.of(row)) for column in columns] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    padded = (zip(line, widths, strict=True) for line in cells)
    return ["  ".join(_padded(text, width) for text, width in line).rstrip() for line in padded]


def _padded(text: str, width: int) -> str:
    """The text with blanks, as wide as a terminal shows it: some characters take two places, some
    none."""
    return text + " " * (width - cell_len(text))


def cell(value: Any) -> str:
    """A value for display."""
    if value is None or value == "":
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(str(value))


def plain(text: str) -> str:
    """The text without terminal control sequences, since clients choose their names."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _csv(rows: Iterable[Row], columns: Sequence[Column]) -> None:
    writer = csv.writer(_Lines(), lineterminator="")
    writer.writerow([column.field for column in columns])
    for row in rows:
        values = [column.of(row) for column in columns]
        writer.writerow([_csv_cell(value) for value in values])


def _csv_cell(value: Any) -> Any:
    """What a program reads is as it is; what a terminal shows has no control sequences."""
    is_shown = isinstance(value, str) and sys.stdout is not None and sys.stdout.isatty()
    return "" if value is None else plain(value) if is_shown else value


class _Lines:
    """Where ``csv`` writes each row."""

    def write(self, line: str) -> None:
        say(line)


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON in characters that standard output has, and that control no terminal."""
    text = json.dumps(value, indent=indent, ensure_ascii=not _is_unicode())
    return BEYOND_ASCII.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


def _is_unicode() -> bool:
    return _encoding().lower().replace("-", "").startswith("utf")


def _yaml(value: Any) -> str:
    """YAML in such characters: all escaped, if some are not to be shown."""
    text = str(yaml.safe_dump(value, sort_keys=False, allow_unicode=_is_unicode()))
    if not text.replace("\n", "").isprintable():
        text = str(yaml.safe_dump(value, sort_keys=False))
    return text.rstrip("\n")


def say(line: str) -> None:
    """Print and flush a line on standard output, which may be read line by line. Raises
    ``OutputLost``, and ``BrokenPipeError`` for a reader that has read enough (``| head``).

    Characters that its encoding does not have are printed as escapes."""
    if sys.stdout is None:
        raise OutputLost("standard output is closed")
    try:
        sys.stdout.write(f"{line}\n".encode(_encoding(), "backslashreplace").decode(_encoding()))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(error.strerror or str(error)) from error


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def note(line: str) -> None:
    """Print a line on standard error, besides the output."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
