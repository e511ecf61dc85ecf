"""The details of rows as JSON text, however long it is."""

import json

import pytest

from groups.core.rows import GroupRow, MemberRow
from groups.store import apply
from groups.store.apply import text_of

NAMES = ["x" * 200 + f'-{i} "\\\u00e9\U0001f600' for i in range(2_000)]
GROUP = GroupRow(
    "g", "consumer", "Stable", details={
        "target_epoch": 1, "assignor": None, "topics": {name: ["0" * 32, 1] for name in NAMES},
        "matches": {"(.|a)*": NAMES, "none": []},
    },
)  # fmt: skip
MEMBER = MemberRow(
    "m",
    None,
    "c",
    "/h",
    1,
    1,
    0,
    details={"topics": NAMES, "target": {"0" * 32: [0, 1]}, "rack": None},
)


@pytest.mark.parametrize("row", [GROUP, MEMBER], ids=["group", "member"])
def test_a_long_text_is_the_same_when_assembled_in_pieces(
    row: apply.Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    """9 MB in one go held the interpreter's lock, which the event loop needs, for 70 ms."""
    whole = text_of(row)
    assert json.loads(whole) == row.details

    longest: list[int] = []
    pieces = apply.IN_PIECES.iterencode

    def watched(value: object) -> list[str]:
        found = list(pieces(value))
        longest.append(max(map(len, found)))
        return found

    monkeypatch.setattr(apply.IN_PIECES, "iterencode", watched)
    assert apply.text_in_pieces(row) == whole
    assert longest and longest[0] < 1_000


def test_of_a_large_batch_most_rows_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(apply, "IN_PIECES")
    small = GroupRow("g", "consumer", "Stable", details={"topics": {"t": ["0" * 32, 1]}})
    assert apply.text_in_pieces(small) == text_of(small)
