"""Filters of Spark as conditions of PostgreSQL, where both mean the same.

Whatever is not translated Spark applies itself. The order of texts depends on the collation, so
texts are compared for equality alone.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from psycopg import sql
from pyspark.sql import datasource as spark

COMPARISONS: Final[dict[type[spark.Filter], str]] = {
    spark.GreaterThan: ">",
    spark.GreaterThanOrEqual: ">=",
    spark.LessThan: "<",
    spark.LessThanOrEqual: "<=",
}

Expression = Callable[[str], sql.Composable]


def condition(wanted: spark.Filter, expression: Expression) -> sql.Composable | None:
    """The filter in SQL, or None. ``expression`` gives that of a column."""
    names: tuple[str, ...] = getattr(wanted, "attribute", ())
    if len(names) != 1:
        return None
    column = expression(names[0])
    match wanted:
        case spark.IsNull():
            return sql.SQL("{} IS NULL").format(column)
        case spark.IsNotNull():
            return sql.SQL("{} IS NOT NULL").format(column)
        case spark.In(value=values):
            return _any_of(column, values)
        case spark.EqualTo(value=value) if _is_plain(value):
            return sql.SQL("{} = {}").format(column, sql.Literal(value))
        case _:
            return _compared(wanted, column)


def _any_of(column: sql.Composable, values: tuple[Any, ...]) -> sql.Composable | None:
    if not values or not all(_is_plain(value) for value in values):
        return None
    return sql.SQL("{} IN ({})").format(column, sql.SQL(", ").join(map(sql.Literal, values)))


def _compared(wanted: spark.Filter, column: sql.Composable) -> sql.Composable | None:
    sign = COMPARISONS.get(type(wanted))
    value = getattr(wanted, "value", None)
    if sign is None or isinstance(value, str) or not _is_plain(value):
        return None
    return sql.SQL("{} {} {}").format(column, sql.SQL(sign), sql.Literal(value))


def _is_plain(value: Any) -> bool:
    """Whether PostgreSQL reads it as Spark does: a time without zone would depend on the
    session."""
    if isinstance(value, datetime):
        return value.tzinfo is not None
    return isinstance(value, int | str) and "\0" not in str(value)
