"""What one request may name: each row of the table counts a field that a request of its API has."""

import pytest

from protocol.apis import APIS
from protocol.draft_apis import DRAFT_APIS
from protocol.limits.request_limits import MAXIMA, Maximum
from rollcall.wire.kinds import Array, Struct

ROWS = [(key, maximum) for key, maxima in MAXIMA.items() for maximum in maxima]


def is_there(struct: type[Struct], path: list[str]) -> bool:
    """Whether the path leads through arrays to a field that can be counted."""
    kinds = [field.kind for field in struct.wire_fields if field.name == path[0]]
    if not kinds or not isinstance(kinds[0], Array):
        return False
    element = kinds[0].element
    return len(path) == 1 or (isinstance(element, type) and is_there(element, path[1:]))


@pytest.mark.parametrize(("key", "maximum"), ROWS, ids=lambda value: getattr(value, "path", value))
def test_each_counted_element_is_a_field(key: int, maximum: Maximum) -> None:
    requests = [apis[key].request for apis in (APIS, DRAFT_APIS) if key in apis]
    assert any(is_there(request, maximum.path.split(".")) for request in requests)
