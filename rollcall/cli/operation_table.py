"""The commands that the table of operations has: name, method, targets, help.

``manage.py operations`` generates this file from ``groups/core/operations.py``.
"""

from typing import Final

Row = tuple[str, str, tuple[str, ...], str]

COMMANDS: Final[tuple[Row, ...]] = (
    (
        "evict",
        "DELETE",
        ("member",),
        "Evict a member; the others rebalance. A live client joins again.",
    ),
    (
        "pause",
        "POST",
        ("group", "member"),
        "Stop the work of all members, new ones too, or of one. They keep their partitions.",
    ),
    (
        "resume",
        "POST",
        ("group", "member"),
        "Start the work of a stopped group, or of one stopped member.",
    ),
    (
        "thaw",
        "POST",
        ("group",),
        "Thaw a group: rebalances begin again.",
    ),
    (
        "drain",
        "POST",
        ("member",),
        "Drain a member: it keeps its membership, and gives up its partitions.",
    ),
    (
        "undrain",
        "POST",
        ("member",),
        "Let a drained member have partitions again.",
    ),
)
