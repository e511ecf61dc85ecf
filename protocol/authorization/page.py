"""The tables of docs/acls.md: ``python -m protocol.authorization.page`` writes them again."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from protocol.authorization.table import BY_KEY, DRAFT_BY_KEY, Need, Row
from rollcall.wire.messages import MESSAGES, Messages
from rollcall.wire.messages.draft import DRAFT_MESSAGES

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "acls.md"
BEGIN, END = "<!-- made by protocol/authorization/page.py -->\n", "<!-- end -->\n"

HEADS: Final = (
    (MESSAGES, BY_KEY, "The Kafka port"),
    (DRAFT_MESSAGES, DRAFT_BY_KEY, "The listener of the 0.9 draft"),
)


def tables() -> str:
    """The text between the two marks."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    for messages, rows, title in HEADS:
        yield f"\n### {title}\n\n| API | key | needs | changes |\n|---|---|---|---|"
        yield from _rows(messages, rows)


def _rows(messages: Mapping[int, Messages], rows: Mapping[int, Row]) -> Iterator[str]:
    for key, row in rows.items():
        needs = "; ".join(dict.fromkeys(_need_text(need) for need in row.needs)) or "nothing"
        yield f"| {messages[key].name} | {key} | {needs} | {row.changes or '-'} |"


def _need_text(need: Need) -> str:
    words = f"{need.operation.name} {need.resource.name}"
    if need.instead is not None:
        words += f" or {need.instead.name} CLUSTER"
    return f"{words} ({need.note})" if need.note else words


def written(page: str) -> str:
    """The page with the current tables."""
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}{tables()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
