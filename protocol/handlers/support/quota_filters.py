"""Which entities match a DescribeClientQuotas: Kafka's checks and messages (ClientQuotasImage)."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from groups.core.errors import ErrorCode, Refuse
from groups.core.quotas.entities import CLIENT_ID, IP, TYPES, USER, Entity

EXACT: Final = 0
DEFAULT: Final = 1
SPECIFIED: Final = 2
"""How a component matches: by name, as the default, or with any name."""

NEEDS_NAME: Final = "Request specified MATCH_TYPE_EXACT, but set match string to null."
NEEDS_NONE: Final[Mapping[int, str]] = {
    kind: f"Request specified MATCH_TYPE_{word}, but also specified a match string."
    for kind, word in ((DEFAULT, "DEFAULT"), (SPECIFIED, "SPECIFIED"))
}
NOT_TOGETHER: Final = (
    "Invalid entity filter component combination. IP filter component should not be used with"
    " user or clientId filter component."
)


class Component(NamedTuple):
    """One type of part, and what it has to match."""

    kind: str
    match_type: int
    name: str | None


class Filter(NamedTuple):
    """Matches entities that have all ``exact`` parts and some part of each of ``types``; with
    ``is_strict`` no others."""

    exact: Mapping[str, str | None]
    types: frozenset[str]
    is_strict: bool

    def matches(self, entity: Entity) -> bool:
        """Whether an entity matches."""
        if self.is_strict and len(entity) != len(self.exact) + len(self.types):
            return False
        parts = dict(entity)
        if not self.types <= parts.keys() or not self.exact.keys() <= parts.keys():
            return False
        return all(parts[kind] == name for kind, name in self.exact.items())


def filter_of(components: Iterable[Component], *, is_strict: bool) -> Filter:
    """The filter of a request. Refuses INVALID_REQUEST, UNSUPPORTED_VERSION."""
    exact, types = dict[str, str | None](), set[str]()
    for component in components:
        _check(component, exact.keys() | types)
        if component.match_type == SPECIFIED:
            types.add(component.kind)
        else:
            exact[component.kind] = component.name
    named = exact.keys() | types
    if IP in named and named & {USER, CLIENT_ID}:
        raise Refuse(ErrorCode.INVALID_REQUEST, NOT_TOGETHER)
    return Filter(exact, frozenset(types), is_strict)


def _check(component: Component, before: set[str]) -> None:
    kind, match_type, name = component
    if not kind:
        raise Refuse(ErrorCode.INVALID_REQUEST, "Invalid empty entity type.")
    if kind in before:
        detail = f"Entity type {kind} cannot appear more than once in the filter."
        raise Refuse(ErrorCode.INVALID_REQUEST, detail)
    if kind not in TYPES:
        raise Refuse(ErrorCode.UNSUPPORTED_VERSION, f"Unsupported entity type {kind}")
    if match_type == EXACT and name is None:
        raise Refuse(ErrorCode.INVALID_REQUEST, NEEDS_NAME)
    if match_type in NEEDS_NONE and name is not None:
        raise Refuse(ErrorCode.INVALID_REQUEST, NEEDS_NONE[match_type])
    if match_type not in (EXACT, DEFAULT, SPECIFIED):
        raise Refuse(ErrorCode.INVALID_REQUEST, f"Unknown match type {match_type}")
