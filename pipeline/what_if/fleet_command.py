"""``fleet``: invents a fleet, and writes it as what a coordinator would have recorded, or says what
it would take."""

import argparse
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from pipeline import config, console
from pipeline.what_if.command import PERIODS
from pipeline.what_if.fleet import Description, fitted, group_of
from pipeline.what_if.fleet_rows import (
    Numbers,
    journal_rows,
    life_rows,
    ownership_rows,
    renumbered,
    round_rows,
)
from pipeline.what_if.recording import HOUR_MS

CHUNK: Final = 500
"""Groups of one file of each table."""

SAMPLE: Final = 20
"""Groups from which the cost of all is extrapolated."""

FIT_MAX: Final = 1_000
"""Groups to which a description is fitted."""

TABLES: Final = ("lives", "ownership", "journal", "rounds")

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb."""
    fleet = verbs.add_parser("fleet", help="invent a fleet, and write what would be recorded of it")
    for field in fields(Description):
        fleet.add_argument(f"--{field.name.replace('_', '-')}", type=_types()[field.name])
    fleet.add_argument("--seed", type=int, default=0)
    fleet.add_argument("--fit", action="store_true", help="be like what the database has recorded")
    fleet.add_argument("--period", choices=PERIODS, default="7d", help="to fit to")
    where = fleet.add_mutually_exclusive_group(required=True)
    where.add_argument("--plan", action="store_true", help="say what it would take")
    where.add_argument("--output", help="a folder of Parquet tables")
    where.add_argument(
        "--database", action="store_true", help="the configured database, which has no facts yet"
    )
    fleet.set_defaults(verb=run, called="The fleet")


def _types() -> Mapping[str, type]:
    plain = Description()
    return {field.name: type(getattr(plain, field.name)) for field in fields(Description)}


def run(options: argparse.Namespace) -> str:
    """Describe, invent, write."""
    described = _fitted(options.period) if options.fit else Description()
    said = {f.name: v for f in fields(Description) if (v := getattr(options, f.name)) is not None}
    described = replace(described, **said)
    if problem := described.problem():
        raise config.Unconfigured(problem)
    begin = int(time.time() * 1_000) - round(described.hours * HOUR_MS)
    if options.plan:
        return plan(described, begin, options.seed)
    if options.database:
        return to_database(described, begin, options.seed)
    return to_parquet(described, begin, options.seed, options.output)


def _fitted(period: str) -> Description:
    with config.extra():
        from pipeline.session import session
        from pipeline.what_if import job

    conninfo = config.conninfo()
    with session() as spark:
        return fitted(job.recordings(spark, conninfo, period, FIT_MAX))


def rows_of(description: Description, number: int, begin: int, seed: int, to: Numbers) -> Rows:
    """One group as rows of the tables."""
    recording = group_of(description, number, begin, seed).recording
    new = renumbered(recording, to)
    return {
        "lives": list(life_rows(recording, new, to)),
        "ownership": list(ownership_rows(recording, new, to)),
        "journal": list(journal_rows(recording, to)),
        "rounds": list(round_rows(recording, to)),
    }


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some groups of a fleet, for one process."""

    description: Description
    first: int
    end: int
    begin: int
    seed: int
    output: str

    def rows(self) -> Rows:
        """Of all of them."""
        numbers = Numbers(1 + self.first * NUMBERS_A_GROUP)
        tables: dict[str, list[Mapping[str, Any]]] = {name: [] for name in TABLES}
        for number in range(self.first, self.end):
            made = rows_of(self.description, number, self.begin, self.seed, numbers)
            for name in TABLES:
                tables[name] += made[name]
        return tables


NUMBERS_A_GROUP: Final = 10_000_000
"""Numbers of rows of one group are apart from those of the next: processes do not ask each
other."""


def _chunks(described: Description, begin: int, seed: int, output: str) -> Iterator[Chunk]:
    for first in range(0, described.groups, CHUNK):
        end = min(first + CHUNK, described.groups)
        yield Chunk(described, first, end, begin, seed, output)


def to_parquet(described: Description, begin: int, seed: int, output: str) -> str:
    """Tables as the sources have them, a file for each chunk."""
    with config.extra():
        from pipeline.results.folders import Output

    address = Output.at(output).address
    chunks = list(_chunks(described, begin, seed, address))
    written = 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for done, count in enumerate(pool.map(write_parquet, chunks), 1):
            written += count
            console.progress("inventing", 100 * done // len(chunks))
    return f"{described.groups} groups, {written} rows in {address}"


def write_parquet(chunk: Chunk) -> int:
    """Write the chunk's files; returns how many rows."""
    import pyarrow as pa
    from pyarrow import parquet

    from pipeline.results import folders
    from pipeline.what_if.fleet_tables import DATASETS, schema

    files, folder = folders.opened(chunk.output)
    count = 0
    for name, rows in chunk.rows().items():
        files.create_dir(f"{folder}/{name}")
        table = pa.Table.from_pylist(list(rows), schema(DATASETS[name]))
        place = f"{folder}/{name}/part-{chunk.first // CHUNK:06}.parquet"
        parquet.write_table(table, place, compression="zstd", filesystem=files)
        count += table.num_rows
    return count


def to_database(described: Description, begin: int, seed: int) -> str:
    """The tables of the configured database; it must have no facts, lest they mix."""
    with config.extra():
        from pipeline.what_if.fleet_tables import NotEmpty, copying

    written, numbers = 0, Numbers()
    try:
        with copying(config.conninfo(role=False)) as copy:
            for number in range(described.groups):
                made = rows_of(described, number, begin, seed, numbers)
                written += copy(made)
                console.progress("inventing", 100 * (number + 1) // described.groups)
    except NotEmpty as taken:
        raise config.Unconfigured(str(taken)) from None
    return f"{described.groups} groups, {written} rows in the database"


def plan(described: Description, begin: int, seed: int) -> str:
    """What the fleet would take, by some of its groups: what was measured, and what is
    extrapolated."""
    sampled = min(SAMPLE, described.groups)
    started, rows, size = time.process_time(), 0, 0
    for number in range(sampled):
        made = rows_of(described, number, begin, seed, Numbers())
        rows += sum(map(len, made.values()))
        size += sum(len(json.dumps(row, default=str)) for row in _all(made))
    seconds = (time.process_time() - started) / sampled
    cores = os.cpu_count() or 1
    hours = seconds * described.groups / cores / 3_600
    return "\n".join(
        (
            f"Measured, {sampled} groups of {described.members} members for {described.hours:g}"
            f" hours: {1_000 * seconds:.0f} ms of a core a group, {rows / sampled:.0f} rows,"
            f" {size / sampled / 1_000:.0f} kB as JSON.",
            f"Extrapolated, {described.groups} groups, {described.groups * described.members}"
            f" members: {rows / sampled * described.groups:.3g} rows,"
            f" {size / sampled * described.groups / 1e9:.3g} GB as JSON,"
            f" {hours:.3g} hours on {cores} cores to invent, three times that for a what-if.",
        )
    )


def _all(made: Rows) -> Iterable[Mapping[str, Any]]:
    return (row for rows in made.values() for row in rows)
