"""Whether a name contains a text: the comparison of every search, in SQL and in memory.

Names are compared without regard to case, accents, and Unicode's variants of a letter (composed or
not, full width). No character has a special meaning.
"""

import re
import unicodedata
from typing import Any, Final

from django.core.exceptions import EmptyResultSet
from django.db.models import CharField, Lookup, Q, TextField
from django.db.models.sql.compiler import SQLCompiler

ACCENTS: Final = re.compile("[\u0300-\u0344\u0346-\u036f]")
"""The marks of Latin, Greek and Cyrillic letters. Those of other scripts are letters, and so is
U+0345: the capital of a Greek letter with it has an iota instead."""

FOLDED: Final = """
CASE WHEN octet_length({0}) = char_length({0}) THEN lower({0} COLLATE pg_c_utf8)
ELSE replace(lower(upper(
    regexp_replace(normalize({0}, NFKD) COLLATE pg_c_utf8, '[\u0300-\u0344\u0346-\u036f]', '', 'g')
)), 'ß', 'ss') END
"""
"""``folded`` in SQL. ASCII has a shorter way. Collation C knows the case of ASCII alone, and that
of the database may too. Upper case first: two small letters may share a capital."""

NAME: Final = "has_text"
"""The name of the lookup: ``filter(name__has_text=...)``."""


def folded(text: str) -> str:
    """The form in which texts are compared."""
    return ACCENTS.sub("", unicodedata.normalize("NFKD", text)).upper().casefold()


def has_text(name: str, part: str) -> bool:
    """Whether a name contains a text."""
    return part in name if not folded(part) else folded(part) in folded(name)


def any_has_text(part: str, *fields: str) -> Q:
    """Rows of which one of these fields contains a text; all rows, without a field."""
    return Q(*((f"{field}__{NAME}", part) for field in fields), _connector=Q.OR)


def is_storable(text: str) -> bool:
    """Whether PostgreSQL can store a text: no NUL, no half of a pair of surrogates."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


@CharField.register_lookup
@TextField.register_lookup
class HasText(Lookup):
    """``has_text`` of a column. A text that no row can contain is not sent to PostgreSQL."""

    lookup_name = NAME

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """The condition."""
        if not is_storable(self.rhs):
            raise EmptyResultSet
        column, of_column = self.process_lhs(compiler, connection)
        times = FOLDED.count("{0}") if folded(self.rhs) else 1
        condition, of_part = contains(column, self.rhs)
        return condition, (*(*of_column,) * times, *of_part)


def contains(column: str, part: str) -> tuple[str, tuple[str, ...]]:
    """The same condition of a column's SQL, for a statement of our own, and its parameters."""
    if not folded(part):
        return f'strpos({column}, %s::text COLLATE "C") > 0', (part,)
    in_column, in_part = FOLDED.format(column), FOLDED.format("%s::text")
    return f"strpos({in_column}, {in_part}) > 0", (part,) * FOLDED.count("{0}")
