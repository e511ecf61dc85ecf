"""How much one request may name: the table of maxima, and the refusal of larger requests.

The codec accepts 100,000 elements in every API (``wire.limits``). In most APIs each element costs
too much for that, so a row here has a lower maximum, which is checked before the handler runs. The
refusal is the API's own (``protocol.requests.refusals``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from groups.core.errors import ErrorCode
from groups.core.topics import TOPICS_PER_REQUEST_MAX
from groups.node import NodeSettings
from protocol.requests.refusals import Refusal, whole
from rollcall.wire.declare import Message

LOOKED_AT_BYTES: Final = 1_000
"""Shorter frames need no check: an element has at least one byte."""

PROTOCOLS_MAX: Final = 100
"""Assignors that a member of the classic protocol may list. Clients send three; each join compares
them with those of all other members."""

CONFIGS_MAX: Final = 1_000
"""Settings in one resource: about ten exist."""

THREADS_MAX: Final = 1_000
"""Topics for which one consumer of a commanded group offers threads."""

POLICY, REQUEST = ErrorCode.POLICY_VIOLATION, ErrorCode.INVALID_REQUEST


@dataclass(frozen=True, slots=True)
class Maximum:
    """One row: ``path`` leads to the elements of the request that are counted, all nesting levels
    together. ``limit`` is a number or a setting of the node. ``answer`` is the path to the
    corresponding elements of a response without an error at its top."""

    path: str
    limit: int | str
    what: str
    code: ErrorCode
    answer: str = ""

    @property
    def head(self) -> str:
        """The field of the request."""
        return self.path.partition(".")[0]

    def of(self, settings: NodeSettings) -> int:
        """The maximum."""
        return self.limit if isinstance(self.limit, int) else int(getattr(settings, self.limit))

    def sentence(self, settings: NodeSettings) -> str:
        """The error message."""
        return f"A request names at most {self.of(settings)} {self.what}."

    def is_exceeded(self, request: Message, settings: NodeSettings) -> bool:
        """Whether the request has more."""
        return _count(request, self.path.split(".")) > self.of(settings)


TOPICS, GROUPS, CONFIGS = "request_topics_max", "request_groups_max", "request_configs_max"
OFFSETS, MEMBERS = "request_offsets_max", "group_max_size"
CHANGED = TOPICS_PER_REQUEST_MAX
TOO_LARGE = ErrorCode.INVALID_COMMIT_OFFSET_SIZE

MAXIMA: Final[Mapping[int, tuple[Maximum, ...]]] = {
    3: (Maximum("topics", TOPICS, "topics", POLICY, "topics"),),
    0: (Maximum("topic_data", TOPICS, "topics", POLICY, "responses"),),
    1: (Maximum("topics", TOPICS, "topics", REQUEST, "responses"),),
    2: (Maximum("topics", TOPICS, "topics", REQUEST, "topics"),),
    8: (
        Maximum("topics", TOPICS, "topics", TOO_LARGE, "topics"),
        Maximum("topics.partitions", OFFSETS, "partitions", TOO_LARGE, "topics"),
    ),
    9: (
        Maximum("groups", GROUPS, "groups", REQUEST, "groups"),
        Maximum("groups.topics", TOPICS, "topics", REQUEST, "groups"),
        Maximum("topics", TOPICS, "topics", REQUEST, "topics"),
    ),
    10: (Maximum("coordinator_keys", GROUPS, "keys", REQUEST, "coordinators"),),
    11: (
        Maximum("protocols", PROTOCOLS_MAX, "protocols", REQUEST),
        Maximum("topics", TOPICS, "topics", REQUEST),  # of the 0.9 draft
    ),
    13: (Maximum("members", MEMBERS, "members", REQUEST),),
    14: (Maximum("assignments", MEMBERS, "assignments", REQUEST),),
    15: (Maximum("groups", GROUPS, "groups", REQUEST, "groups"),),
    19: (
        Maximum("topics", CHANGED, "topics", POLICY, "topics"),
        Maximum("topics.configs", CONFIGS_MAX * 10, "settings", POLICY, "topics"),
    ),
    20: (
        Maximum("topic_names", CHANGED, "topics", POLICY, "responses"),
        Maximum("topics", CHANGED, "topics", POLICY, "responses"),
    ),
    28: (
        Maximum("topics", TOPICS, "topics", TOO_LARGE, "topics"),
        Maximum("topics.partitions", OFFSETS, "partitions", TOO_LARGE, "topics"),
    ),
    16: (
        Maximum("states_filter", CONFIGS_MAX, "states", REQUEST),
        Maximum("types_filter", CONFIGS_MAX, "types", REQUEST),
    ),
    30: (Maximum("creations", CHANGED, "ACLs", POLICY, "results"),),
    31: (Maximum("filters", CHANGED, "filters", POLICY, "filter_results"),),
    32: (
        Maximum("resources", CONFIGS, "resources", POLICY, "results"),
        Maximum("resources.configuration_keys", CONFIGS_MAX * 10, "settings", POLICY, "results"),
    ),
    35: (
        Maximum("topics", TOPICS, "topics", REQUEST, "results"),
        Maximum("topics.partitions", OFFSETS, "partitions", REQUEST, "results"),
    ),
    37: (Maximum("topics", CHANGED, "topics", POLICY, "results"),),
    42: (Maximum("groups_names", GROUPS, "groups", REQUEST, "results"),),
    44: (
        Maximum("resources", CONFIGS, "resources", POLICY, "responses"),
        Maximum("resources.configs", CONFIGS_MAX * 10, "settings", POLICY, "responses"),
    ),
    47: (
        Maximum("topics", TOPICS, "topics", REQUEST),
        Maximum("topics.partitions", OFFSETS, "partitions", REQUEST),
    ),
    48: (Maximum("components", CONFIGS_MAX, "components", REQUEST),),
    49: (
        Maximum("entries", CHANGED, "entities", POLICY, "entries"),
        Maximum("entries.entity", CHANGED * 10, "parts of entities", POLICY, "entries"),
        Maximum("entries.ops", CONFIGS_MAX * 10, "quotas", POLICY, "entries"),
    ),
    50: (Maximum("users", GROUPS, "users", REQUEST),),
    51: (
        Maximum("deletions", CHANGED, "users", POLICY, "results"),
        Maximum("upsertions", CHANGED, "users", POLICY, "results"),
    ),
    65: (Maximum("transactional_ids", GROUPS, "ids", REQUEST, "transaction_states"),),
    66: (
        Maximum("state_filters", CONFIGS_MAX, "states", REQUEST),
        Maximum("producer_id_filters", GROUPS, "producers", REQUEST),
    ),
    68: (
        Maximum("subscribed_topic_names", TOPICS, "topics", REQUEST),
        Maximum("topic_partitions", TOPICS, "topics", REQUEST),
    ),
    69: (Maximum("group_ids", GROUPS, "groups", REQUEST, "groups"),),
    74: (Maximum("resource_types", CONFIGS_MAX, "types", REQUEST),),
    75: (Maximum("topics", TOPICS, "topics", POLICY, "topics"),),
    10000: (Maximum("topics", THREADS_MAX, "topics", REQUEST),),
    10011: (Maximum("members", MEMBERS, "members", REQUEST),),
}
"""By API key, on both listeners. APIs that are not here have only the codec's limit."""


def exceeded(request: Message, settings: NodeSettings) -> Maximum | None:
    """The row that the request exceeds, if any."""
    for maximum in MAXIMA.get(request.api_key or 0, ()):
        if hasattr(request, maximum.head) and maximum.is_exceeded(request, settings):
            return maximum
    return None


def refused(
    request: Message, response: type[Message], version: int, maximum: Maximum, refusal: Refusal
) -> Message:
    """The API's refusal."""
    reply: Message = whole(request, response, version, (maximum.head, maximum.answer), refusal)
    return reply


def _count(value: Any, path: Sequence[str]) -> int:
    items = getattr(value, path[0]) or ()
    if len(path) == 1:
        return len(items)
    return sum(_count(item, path[1:]) for item in items)
