"""How each API says no: its error at the top of the answer where the version has one there, else on
every element that was named. What an answer looks like is read from its declaration.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from rollcall.wire.declare import Message
from rollcall.wire.kinds import Array, Struct, Text


class Refusal(NamedTuple):
    """What is said of each element, or of all."""

    number: int
    detail: str


def whole(
    request: Message,
    response: type[Message],
    version: int,
    at: tuple[str, str],
    refusal: Refusal,
) -> Any:
    """All of a request is refused. ``at``: the request's list whose elements are told of in the
    response's list, where the response has no error at its top."""
    if any(f.name == "error_code" and f.present(version) for f in response.wire_fields):
        return _told(response, request, refusal)
    asked, answer = at
    return response(**{answer: elements(getattr(request, asked), response, answer, refusal)})


def elements(
    asked: Iterable[Any], response: type[Message], answer: str, refusal: Refusal
) -> list[Any]:
    """What the response's list says of elements that are refused."""
    kind = next(f.kind for f in response.wire_fields if f.name == answer)
    assert isinstance(kind, Array) and isinstance(kind.element, type)
    return [_told(kind.element, item, refusal) for item in asked]


SAME: Final = frozenset(
    {
        "group_id",
        "index",
        "key",
        "member_id",
        "name",
        "partition",
        "partition_index",
        "resource_name",
        "resource_type",
        "topic",
        "topic_id",
    }
)
"""Fields by which an answer says what it is about, and which the request calls the same."""

NUMBERS: Final = ("partition_index", "partition")
"""What an answer calls a partition that the request names by its bare number."""

PARTS: Final = {"partitions": "partitions", "partition_responses": "partition_data"}
"""What an answer calls the partitions of a topic, and what the request does."""

NOWHERE: Final = {"node_id": -1, "port": -1}
"""A coordinator that is none (FindCoordinator)."""


NONE_OF_THEM: Final = ()
"""One for all elements: a list for each would be half the memory of a refusal."""


def _told(answer: type[Struct], asked: Any, refusal: Refusal) -> Any:
    """One element of the answer: about what was asked, with the error."""
    return answer(**dict(_fields(answer, asked, refusal)))


def _fields(answer: type[Struct], asked: Any, refusal: Refusal) -> Iterator[tuple[str, Any]]:
    names = {field.name: field for field in answer.wire_fields}
    if isinstance(asked, int):
        yield next(n for n in NUMBERS if n in names), asked
    elif isinstance(asked, str):
        yield answer.wire_fields[_first_text(answer)].name, asked
    else:
        yield from ((n, getattr(asked, n)) for n in SAME & names.keys() if hasattr(asked, n))
        if "user" in names and hasattr(asked, "name"):  # AlterUserScramCredentials
            yield "user", asked.name
        if "partition_index" in names and hasattr(asked, "partition"):  # Fetch
            yield "partition_index", asked.partition
    yield from ((n, value) for n, value in NOWHERE.items() if n in names)
    yield from ((n, NONE_OF_THEM) for n, field in names.items() if isinstance(field.kind, Array))
    if "entity" in names:  # AlterClientQuotas
        yield "entity", asked.entity
    if "error_code" in names:
        yield "error_code", refusal.number
        if "error_message" in names:
            yield "error_message", refusal.detail
        return
    below, theirs = next((n, PARTS[n]) for n in PARTS if n in names)
    inner, parts = names[below].kind, getattr(asked, theirs, None)
    assert isinstance(inner, Array) and isinstance(inner.element, type)
    if parts is None:
        parts = asked.partition_indexes
    yield below, [_told(inner.element, part, refusal) for part in parts]


def _first_text(answer: type[Struct]) -> int:
    """A bare name stands in the first field that holds text and is no message for people."""
    return next(
        at
        for at, field in enumerate(answer.wire_fields)
        if isinstance(field.kind, Text) and field.name != "error_message"
    )
