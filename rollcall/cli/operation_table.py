"""The commands of the table of operations: name, method, path, targets, help.

``manage.py operations`` generates this file from ``groups/core/operations.py``.
"""

from typing import Final

Row = tuple[str, str, str, tuple[str, ...], str]


def path_of(tail: str, member: str | None) -> str:
    """REST's path of an operation on a group, or on a member of one; the query names them."""
    target = "/group" if member is None else "/group/members"
    return f"{target}/{tail}" if tail else target


COMMANDS: Final[tuple[Row, ...]] = (
    (
        "rebalance",
        "POST",
        "rebalances",
        ("group",),
        "Force a rebalance; wait for the new generation.",
    ),
    (
        "evict",
        "DELETE",
        "",
        ("member",),
        "Evict a member; the others rebalance. A live client joins again.",
    ),
    (
        "pause",
        "POST",
        "pause",
        ("group", "member"),
        "Stop the work of all members, new ones too, or of one. They keep their partitions.",
    ),
    (
        "resume",
        "POST",
        "resume",
        ("group", "member"),
        "Start the work of a stopped group, or of one stopped member.",
    ),
    (
        "freeze",
        "POST",
        "freeze",
        ("group",),
        "Freeze a group: no rebalance begins; after the thaw one starts if needed.",
    ),
    (
        "thaw",
        "POST",
        "thaw",
        ("group",),
        "Thaw a group: rebalances begin again.",
    ),
    (
        "delete",
        "DELETE",
        "",
        ("group",),
        "Delete a group without members, with its offsets; its journal is kept.",
    ),
    (
        "drain",
        "POST",
        "drain",
        ("member",),
        "Drain a member: it keeps its membership, and gives up its partitions.",
    ),
    (
        "undrain",
        "POST",
        "undrain",
        ("member",),
        "Let a drained member have partitions again.",
    ),
)
