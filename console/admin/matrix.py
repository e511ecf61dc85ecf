"""Owners of partitions on a page: a matrix of members and partitions if it is readable, otherwise a
heat map. Converts views for templates, and reads nothing."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from console.admin.member_table import shortened
from console.queries import groups
from console.queries.situation_text import Waiting
from groups.core.classic.waiting import COOPERATIVE
from groups.core.waiting import Phase
from groups.models import Group

MATRIX_MEMBERS_MAX: Final = 100
MATRIX_PARTITIONS_MAX: Final = 96
MATRIX_CELLS_MAX: Final = 2_000
"""A larger matrix is less readable than a heat map, and makes a page of more than 30 KB."""

HEAT_ROWS: Final = 60
HEAT_COLUMNS: Final = 120
"""Columns of a heat map: one character per cell, so that it has at most 8 KB for any group."""

HEAT_TOPICS: Final = 100
"""Topics whose names the heat map can show under the pointer."""

LEVELS: Final = "123456789"
GAVE_UP: Final = "abcdefghi"
"""A cell's character by its share; letters: of members that do not work on their partitions now."""

COLOURS: Final = 8

Partition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Members and partitions in bins. ``cells``: all rows in sequence, the first one for unowned
    partitions. ``rows``: the first member of each further row. ``topics``: names and partitions, in
    the order of the columns."""

    cells: str
    columns: int
    rows: Sequence[str]
    members: int
    partitions: int
    topics: Sequence[tuple[str, int]]
    free_count: int

    @property
    def rows_json(self) -> str:
        """For the script that draws it."""
        return json.dumps(self.rows)

    @property
    def topics_json(self) -> str:
        """For the script that draws it."""
        return json.dumps(self.topics)


def matrix(
    members: Sequence[groups.MemberView], counts: Mapping[str, int], gave_up: Collection[str] = ()
) -> Mapping[str, Any] | None:
    """Members and partitions; None if there are none or too many.

    Unowned partitions of subscribed topics have columns too: users look for these.
    """
    size = max(sum(counts.values()), sum(m.partition_count for m in members))
    if not size or size > MATRIX_PARTITIONS_MAX or len(members) > MATRIX_MEMBERS_MAX:
        return None
    owned = {
        (t, p) for m in members for t, numbers in (m.assignment or {}).items() for p in numbers
    }
    free = {(name, p) for name, n in counts.items() for p in range(n)} - owned
    parts = sorted(owned | free)
    if len(parts) * len(members) > MATRIX_CELLS_MAX:
        return None
    topics: dict[str, list[int]] = {}
    for topic, partition in parts:
        topics.setdefault(topic, []).append(partition)
    return {
        "topics": topics.items(),
        "rows": [_row(n, m, parts, m.member_id in gave_up) for n, m in enumerate(members)],
        "free": [part in free for part in parts] if free else None,
        "free_count": len(free),
    }


def _row(
    number: int, member: groups.MemberView, parts: Sequence[Partition], gave_up: bool
) -> Mapping[str, Any]:
    assignment = member.assignment or {}
    owned = {(topic, p) for topic, numbers in assignment.items() for p in numbers}
    return {
        "name": shortened(member.client_id or member.member_id),
        "member_id": member.member_id,
        "colour": number % COLOURS,
        "gave_up": gave_up,
        "cells": [part in owned for part in parts],
    }


def heat_map(
    members: Sequence[groups.MemberView], counts: Mapping[str, int], gave_up: Collection[str] = ()
) -> HeatMap | None:
    """A heat map for a group of any size; None if it has no partitions."""
    topics = _sizes(members, counts)
    total = sum(topics.values())
    if not total or not members:
        return None
    starts, start = dict[str, int](), 0
    for topic, size in topics.items():
        starts[topic], start = start, start + size
    columns, rows = min(total, HEAT_COLUMNS), min(len(members), HEAT_ROWS)
    held, given_up = [0] * (rows * columns), [0] * (rows * columns)
    free = [_in_bin(column, columns, total) for column in range(columns)]
    for n, member in enumerate(members):
        first = n * rows // len(members) * columns
        for topic, numbers in (member.assignment or {}).items():
            for number in numbers:
                column = (starts[topic] + number) * columns // total
                held[first + column] += 1
                given_up[first + column] += member.member_id in gave_up
                free[column] -= 1
    free = [max(0, count) for count in free]
    sizes = [_in_bin(column, columns, total) for column in range(columns)]
    cells = [_cell(count, 0, sizes[n]) for n, count in enumerate(free)]
    cells += [_cell(count, given_up[n], sizes[n % columns]) for n, count in enumerate(held)]
    firsts = [members[-(-row * len(members) // rows)] for row in range(rows)]
    return HeatMap(
        cells="".join(cells),
        columns=columns,
        rows=[shortened(m.client_id or m.member_id) for m in firsts],
        members=len(members),
        partitions=total,
        topics=list(topics.items())[:HEAT_TOPICS],
        free_count=sum(free),
    )


def _sizes(members: Sequence[groups.MemberView], counts: Mapping[str, int]) -> dict[str, int]:
    """The number of columns of each topic, by name, including partitions that members own."""
    sizes = dict(counts)
    for member in members:
        for topic, numbers in (member.assignment or {}).items():
            if numbers:
                sizes[topic] = max(sizes.get(topic, 0), max(numbers) + 1)
    return dict(sorted(sizes.items()))


def _in_bin(column: int, columns: int, total: int) -> int:
    """The number of partitions in one column."""
    return -(-(column + 1) * total // columns) - -(-column * total // columns)


def _cell(count: int, given_up: int, size: int) -> str:
    if not count:
        return "."
    level = min(len(LEVELS), -(-count * len(LEVELS) // max(1, size))) - 1
    return (GAVE_UP if given_up else LEVELS)[level]


def gave_up(
    group: Group, members: Sequence[groups.MemberView], waiting: Waiting | None
) -> set[str]:
    """Members that do not work on the partitions in their rows: eager ones that have rejoined, and
    those of a commanded group that have stopped, or not started."""
    if waiting is None or waiting.awaited_count > len(waiting.awaited):
        return set()
    awaited = {one.member_id for one in waiting.awaited}
    everybody = {m.member_id for m in members}
    if waiting.phase == Phase.START:
        return awaited
    if waiting.phase == Phase.STOP:
        return everybody - awaited
    if group.protocol_name in COOPERATIVE or group.kind == groups.CONSUMER:
        return set()
    if waiting.phase == Phase.SYNC:
        return everybody
    return everybody - awaited if waiting.phase == Phase.JOIN else set()
