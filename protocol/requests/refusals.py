"""Builds the refusal of each API: its error at the top of the response if the version has one
there, else on every element. The form of a response is read from its declaration."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from rollcall.wire.declare import Message
from rollcall.wire.kinds import Array, Struct, Text


class Refusal(NamedTuple):
    """The error for each element, or for the whole request."""

    number: int
    detail: str


def whole(
    request: Message,
    response: type[Message],
    version: int,
    at: tuple[str, str],
    refusal: Refusal,
) -> Any:
    """The refusal of a whole request. ``at``: the request's list, and the response's list that has
    an error for each of its elements, if the response has no error at its top; without a list of
    the request there is one error."""
    if any(f.name == "error_code" and f.present(version) for f in response.wire_fields):
        return _element(response, request, refusal)
    requested, answer = at
    items = getattr(request, requested) if requested else [request]
    return response(**{answer: elements(items, response, answer, refusal)})


def elements(
    requested: Iterable[Any], response: type[Message], answer: str, refusal: Refusal
) -> list[Any]:
    """The elements of the response's list for refused elements of the request."""
    kind = next(f.kind for f in response.wire_fields if f.name == answer)
    assert isinstance(kind, Array) and isinstance(kind.element, type)
    return [_element(kind.element, item, refusal) for item in requested]


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
"""Fields that identify an element and have the same name in request and response."""

NUMBERS: Final = ("partition_index", "partition")
"""The response's name for a partition that is only a number in the request."""

PARTS: Final = {"partitions": "partitions", "partition_responses": "partition_data"}
"""The response's name for the partitions of a topic, and the request's."""

NOWHERE: Final = {"node_id": -1, "port": -1}
"""The values for a missing coordinator (FindCoordinator)."""


NONE_OF_THEM: Final = ()
"""One empty list for all elements: a list for each would be half the memory of a refusal."""


def _element(answer: type[Struct], requested: Any, refusal: Refusal) -> Any:
    """One element of the response: the identity of the requested one, with the error."""
    return answer(**dict(_fields(answer, requested, refusal)))


def _fields(answer: type[Struct], requested: Any, refusal: Refusal) -> Iterator[tuple[str, Any]]:
    names = {field.name: field for field in answer.wire_fields}
    if isinstance(requested, int):
        yield next(n for n in NUMBERS if n in names), requested
    elif isinstance(requested, str):
        yield answer.wire_fields[_first_text(answer)].name, requested
    else:
        yield from (
            (n, getattr(requested, n)) for n in SAME & names.keys() if hasattr(requested, n)
        )
        if "user" in names and hasattr(requested, "name"):  # AlterUserScramCredentials
            yield "user", requested.name
        if "partition_index" in names and hasattr(requested, "partition"):  # Fetch
            yield "partition_index", requested.partition
    yield from ((n, value) for n, value in NOWHERE.items() if n in names)
    yield from ((n, NONE_OF_THEM) for n, field in names.items() if isinstance(field.kind, Array))
    if "entity" in names:  # AlterClientQuotas
        yield "entity", requested.entity
    if "error_code" in names:
        yield "error_code", refusal.number
        if "error_message" in names:
            yield "error_message", refusal.detail
        return
    below, theirs = next((n, PARTS[n]) for n in PARTS if n in names)
    inner, parts = names[below].kind, getattr(requested, theirs, None)
    assert isinstance(inner, Array) and isinstance(inner.element, type)
    if parts is None:
        parts = requested.partition_indexes
    yield below, [_element(inner.element, part, refusal) for part in parts]


def _first_text(answer: type[Struct]) -> int:
    """A plain name goes into the first text field that is not an error message."""
    return next(
        at
        for at, field in enumerate(answer.wire_fields)
        if isinstance(field.kind, Text) and field.name != "error_message"
    )
