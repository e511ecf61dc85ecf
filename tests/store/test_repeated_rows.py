"""Commits that repeat earlier ones, taken in one round: what they write is what their events would
have written one after the other."""

from random import Random
from typing import Any, cast

import pytest

from groups.core.authors import Author
from groups.core.events import OffsetCommit, OffsetWrite, Ticket
from groups.runtime.entries import GroupEntry, Repeat, Repeatable, repeatable
from groups.runtime.repeated_commits import AcceptedRepeats, Part
from groups.store.apply import PlainRows
from groups.store.offset_rows import COLUMNS

TOPICS = ("a", "b")
Values = dict[tuple[str, str, int], tuple[Any, ...]]


def _commit(rng: Random, client: int, sizes: tuple[int, ...]) -> OffsetCommit:
    author = Author(f"m-{client}", f"c-{client}", "/127.0.0.1")
    first = rng.randrange(6)
    writes = [
        OffsetWrite(
            topic,
            first + at,
            0,
            rng.choice((-1, -1, 4)),
            rng.choice(("", 'x"\\,{}')),
            author=author,
        )
        for topic in TOPICS[: rng.randint(1, len(TOPICS))]
        for at in range(rng.choice(sizes))
    ]
    return OffsetCommit(
        generation_id=1,
        member_id=author.member_id,
        instance_id=None,
        offsets=tuple(writes),
        version=8,
    )


def _repeats(rng: Random, group_id: str, sizes: tuple[int, ...], count: int) -> list[Repeat]:
    earlier = [repeatable(group_id, _commit(rng, client, sizes)) for client in range(6)]
    able = cast("list[Repeatable]", [each for each in earlier if each is not None])
    return [
        Repeat(
            one := rng.choice(able), Ticket(0, at), tuple(at * 100 + n for n in range(_length(one)))
        )
        for at in range(count if able else 0)
    ]


def _length(one: Repeatable) -> int:
    return len(one.commit.offsets)


def _one_after_the_other(group_id: str, repeats: list[Repeat]) -> Values:
    return {
        (group_id, write.topic, write.partition): (
            write.offset,
            write.leader_epoch,
            write.metadata,
            write.author,
        )
        for repeat in repeats
        for write in repeat.event().offsets
    }


def _read(literal: Any) -> list[str]:
    return cast("str", literal)[1:-1].split(",")


def _written(plain: PlainRows) -> Values:
    """What the statements write; fails if a partition is in them twice."""
    found: Values = {}
    for row in plain.rows:
        named = dict(zip(COLUMNS, row, strict=False))
        at = named["group_id"], named["topic"], named["partition"]
        assert at not in found
        values = (named["committed_offset"], named["leader_epoch"], named["metadata"])
        found[at] = (*values, Author(*row[len(COLUMNS) :]))
    for run in plain.runs:
        for nth, partition in enumerate(_read(run.partitions)):
            at = run.group_id, run.topic, int(partition)
            assert at not in found
            epoch = -1 if run.leader_epochs is None else int(_read(run.leader_epochs)[nth])
            has_note = run.metadata is not None and _notes(run.metadata)[nth]
            found[at] = (run.offsets[nth], epoch, 'x"\\,{}' if has_note else "", run.author)
    return found


def _notes(literal: Any) -> list[bool]:
    return [each != '""' for each in literal[1:-1].replace('x\\"\\\\,{}', "x").split(",")]


@pytest.mark.parametrize("sizes", [(1,), (3, 4), (1, 2, 5)])
def test_overlapping_commits_leave_what_they_would_one_after_the_other(
    sizes: tuple[int, ...],
) -> None:
    """Of the same partitions, of some of them, of others; of one topic and of two."""
    ways = set[tuple[bool, bool]]()
    for seed in range(150):
        rng = Random(seed)
        groups = {f"g-{n}": _repeats(rng, f"g-{n}", sizes, rng.choice((1, 2, 7))) for n in range(3)}
        parts = [
            Part(group_id, cast("GroupEntry", None), 1, repeats)
            for group_id, repeats in groups.items()
            if repeats
        ]

        plain = AcceptedRepeats(parts).rows()

        expected = {
            at: value
            for group_id, repeats in groups.items()
            for at, value in _one_after_the_other(group_id, repeats).items()
        }
        assert _written(plain) == expected, seed
        assert plain.size == len(expected)
        ways.add((bool(plain.rows), bool(plain.runs)))
    assert (False, True) in ways or sizes == (1,)


def test_a_commit_that_names_a_partition_twice_is_not_repeated() -> None:
    """A statement may write a row only once."""
    write = OffsetWrite("t", 1, 5, -1, "", author=Author("", "c", "h"))
    commit = OffsetCommit(
        generation_id=-1, member_id="", instance_id=None, offsets=(write, write), version=8
    )
    assert repeatable("g", commit) is None


def test_many_topics_of_one_partition_are_not_repeated_as_runs() -> None:
    """With so few partitions a run, rows are cheaper: the event's way writes them."""
    author = Author("", "c", "h")
    writes = tuple(OffsetWrite(f"t-{n}", 0, 5, -1, "", author=author) for n in range(9))
    commit = OffsetCommit(
        generation_id=-1, member_id="", instance_id=None, offsets=writes, version=8
    )
    assert repeatable("g", commit) is None
