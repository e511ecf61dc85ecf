"""A table with a schema: its columns with their meaning, its key, and its checks.

A class of this kind is the one declaration of a table. The source reads it, a step computes it, the
documentation is written from it (``python -m pipeline tables``), and tests check it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

PERIOD: Final = "period"
"""The column by which every report says for which time a row is."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: ``type`` as in Spark's DDL; ``meaning`` with its unit. ``sql`` is the expression
    that reads it in PostgreSQL, if it is not a column of that name there."""

    name: str
    type: str
    meaning: str
    sql: str = ""


class SchemaMismatch(Exception):
    """A table does not have the columns that its class declares; a programming error."""


class Chart(NamedTuple):
    """How a report is drawn: ``kind`` is bars, time with a column an hour, or cards (of advice); a
    bar for each value of ``by``, its parts coloured by ``colour``, as long as ``figure``."""

    kind: str
    by: str
    colour: str
    figure: str


class Dataset:
    """A DataFrame whose columns are those of its class, in their order."""

    NAME: ClassVar[str]
    COLUMNS: ClassVar[Sequence[Column]]
    KEY: ClassVar[Sequence[str]]
    """The columns that identify a row."""
    TIMES: ClassVar[Sequence[str]] = ()
    """The columns by which reports take its rows into their periods."""
    CHECKS: ClassVar[Mapping[str, str]] = {}
    """What holds of every row: a sentence, and the expression of Spark's SQL that is true."""

    def __init__(self, frame: DataFrame) -> None:
        """Raises ``SchemaMismatch``."""
        found = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
        declared = self.types()
        if found != declared:
            odd = dict(found.items() ^ declared.items())
            raise SchemaMismatch(f"{self.NAME}: {', '.join(sorted(odd))} not as declared: {found}")
        self.frame = frame.select(*declared)

    @classmethod
    def names(cls) -> list[str]:
        """The columns' names."""
        return [column.name for column in cls.COLUMNS]

    @classmethod
    def types(cls) -> dict[str, str]:
        """The columns' names and types."""
        return {column.name: column.type for column in cls.COLUMNS}

    @classmethod
    def ddl(cls) -> str:
        """The schema in Spark's DDL."""
        return ", ".join(f"`{name}` {kind}" for name, kind in cls.types().items())

    @classmethod
    def read(cls, spark: SparkSession, address: str) -> "Dataset":
        """A table of Parquet files."""
        return cls(spark.read.schema(cls.ddl()).parquet(address))

    def violations(self) -> dict[str, int]:
        """How many rows break each check, and how many keys are not unique; only what is not 0."""
        checks = [f.count_if(~f.coalesce(f.expr(rule), f.lit(False))) for rule in self.rules()]
        counts = self.frame.agg(f.count("*"), *checks).first() if checks else None
        keys = self.frame.groupBy(*self.KEY).count().filter("count > 1").count()
        found = dict(zip(self.CHECKS, counts[1:] if counts else (), strict=True))
        return {name: count for name, count in {**found, "unique": keys}.items() if count}

    @classmethod
    def rules(cls) -> Sequence[str]:
        """The checks' expressions."""
        return list(cls.CHECKS.values())


class Report(Dataset):
    """A table that people read: figures by keys, for periods. Its rows are stored generically, so
    that a new report needs no table of its own (``rollcall_report_row``)."""

    TITLE: ClassVar[str]
    QUESTION: ClassVar[str]
    """What it answers, in a sentence."""
    ORDER: ClassVar[str]
    """The figure by which it is sorted, the greatest first."""
    TOTALS: ClassVar[Sequence[str]] = ()
    """Figures whose sum over all rows means something: shown above, beside the period before."""
    CHART: ClassVar[Chart | None] = None

    @classmethod
    def keys(cls) -> list[str]:
        """The key without the period."""
        return [name for name in cls.KEY if name != PERIOD]

    @classmethod
    def figures(cls) -> list[str]:
        """The columns that are not the key."""
        return [name for name in cls.names() if name not in cls.KEY]
