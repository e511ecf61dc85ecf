"""The permissions that each API needs, as a table. ``docs/acls.md`` is generated from it.

Rows are found by the request's class, since the draft's APIs have the same keys as those of today.
With an authorizer, an API without a row is never served. Permissions are Kafka's (KIP-163, KIP-231,
KIP-290; the APIs of 4.4); Rollcall's own APIs need similar ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from groups.core.acls.bindings import AclOperation, ResourceType
from rollcall.wire.declare import Message
from rollcall.wire.messages import MESSAGES
from rollcall.wire.messages.draft import DRAFT_MESSAGES

TOPIC, GROUP, CLUSTER = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.CLUSTER
TRANSACTION = ResourceType.TRANSACTIONAL_ID
READ, WRITE, CREATE, DELETE = (
    AclOperation.READ,
    AclOperation.WRITE,
    AclOperation.CREATE,
    AclOperation.DELETE,
)
ALTER, DESCRIBE = AclOperation.ALTER, AclOperation.DESCRIBE
DESCRIBE_CONFIGS, ALTER_CONFIGS = AclOperation.DESCRIBE_CONFIGS, AclOperation.ALTER_CONFIGS

When = Callable[[Any, Any], bool]
"""Whether a permission is needed, from a request and one of its elements."""


def _always(_request: Any, _item: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One permission that an API needs.

    ``path`` leads to the names in the request: a field, or ``field.name`` for a list's elements
    (``field.`` where the elements themselves are the names); "" is the cluster. ``is_each``:
    elements that are not allowed are refused one by one; otherwise the whole request is refused.
    ``answer`` is the response's list that contains the errors, where the response has no error at
    its top; where the request has another name for that list, that name comes first
    (``filters.results``), and none where it has no such list (``.results``: one error).
    ``instead`` is an operation on the cluster that is sufficient too. A permission with
    ``in_handler`` is checked by the API's own handler, since it concerns the content of the
    response; ``note`` says how.
    """

    operation: AclOperation
    resource: ResourceType
    path: str = ""
    is_each: bool = False
    answer: str = ""
    when: When = _always
    instead: AclOperation | None = None
    in_handler: bool = False
    note: str = ""

    @property
    def head(self) -> str:
        """The field of the request."""
        return self.path.partition(".")[0]

    @property
    def name(self) -> str:
        """The field of an element; "" if the element is the name."""
        return self.path.partition(".")[2]

    @property
    def answer_lists(self) -> tuple[str, str]:
        """The request's list whose elements are refused, and the response's list."""
        requested, _, answer = self.answer.partition(".")
        return requested, answer or requested


@dataclass(frozen=True, slots=True)
class Row:
    """What one API needs, and what it changes ("" for nothing)."""

    needs: tuple[Need, ...] = ()
    changes: str = ""


def _whole(operation: AclOperation, kind: ResourceType, path: str = "", answer: str = "") -> Need:
    return Need(operation=operation, resource=kind, path=path, answer=answer)


def _each(operation: AclOperation, kind: ResourceType, path: str, answer: str, **more: Any) -> Need:
    return Need(operation=operation, resource=kind, path=path, answer=answer, is_each=True, **more)


def _shown(operation: AclOperation, kind: ResourceType, note: str, **more: Any) -> Need:
    return Need(operation=operation, resource=kind, in_handler=True, note=note, **more)


def _of_type(number: int) -> When:
    return lambda _request, item: bool(item.resource_type == number)


def _of_key_type(number: int) -> When:
    return lambda request, _item: bool(request.key_type == number)


def _named(request: Any, _item: Any) -> bool:
    return request.transactional_id is not None


MEMBER: Final = _whole(READ, GROUP, "group_id")
"""The requests of members."""

GROUPS, OFFSETS, TOPICS = "members of groups", "committed offsets", "topics"

_COORDINATORS: Final = tuple(
    need
    for key_type, kind in ((0, GROUP), (1, TRANSACTION))
    for need in (
        Need(operation=DESCRIBE, resource=kind, path="key", when=_of_key_type(key_type)),
        _each(DESCRIBE, kind, "coordinator_keys.", "coordinators", when=_of_key_type(key_type)),
    )
)


CONFIGURED: Final = ((2, TOPIC), (4, CLUSTER), (8, CLUSTER), (16, CLUSTER), (32, GROUP))
"""Kafka's numbers of what has a configuration, and what rights on it are of: topics, brokers,
their loggers, client metrics, groups."""


def _configs(operation: AclOperation, answer: str) -> tuple[Need, ...]:
    path = "resources.resource_name"
    return tuple(
        _each(operation, kind, path, answer, when=_of_type(number)) for number, kind in CONFIGURED
    )


PRODUCER: Final = Need(
    operation=WRITE,
    resource=TRANSACTION,
    path="transactional_id",
    answer="topic_data.responses",
    when=_named,
)

BY_KEY: Final[Mapping[int, Row]] = {
    0: Row((PRODUCER, _each(WRITE, TOPIC, "topic_data.name", "responses"))),
    1: Row((_each(READ, TOPIC, "topics.topic", "responses"),)),
    2: Row((_each(DESCRIBE, TOPIC, "topics.name", "topics"),)),
    3: Row(
        (
            _shown(DESCRIBE, TOPIC, "what was not asked for by name is left out"),
            _shown(CREATE, TOPIC, "where it makes topics", instead=CREATE),
        ),
        f"{TOPICS}, unless auto.create.topics.enable is false",
    ),
    8: Row(
        (
            _whole(READ, GROUP, "group_id", "topics"),
            _each(READ, TOPIC, "topics.name", "topics"),
        ),
        OFFSETS,
    ),
    9: Row(
        (
            _shown(DESCRIBE, GROUP, "each group by itself"),
            _shown(DESCRIBE, TOPIC, "where all were asked for it is left out"),
        )
    ),
    10: Row(_COORDINATORS),
    11: Row((MEMBER,), GROUPS),
    12: Row((MEMBER,), "how long a member is waited for"),
    13: Row((MEMBER,), GROUPS),
    14: Row((MEMBER,), GROUPS),
    15: Row((_each(DESCRIBE, GROUP, "groups.", "groups"),)),
    16: Row((_shown(DESCRIBE, GROUP, "others are left out", instead=DESCRIBE),)),
    17: Row(),
    18: Row(),
    19: Row((_each(CREATE, TOPIC, "topics.name", "topics", instead=CREATE),), TOPICS),
    20: Row(
        (
            _each(DELETE, TOPIC, "topic_names.", "responses", instead=DELETE),
            _each(DELETE, TOPIC, "topics.name", "responses", instead=DELETE),
        ),
        f"{TOPICS}, and {OFFSETS} of them",
    ),
    22: Row(
        (
            Need(
                operation=WRITE,
                resource=TRANSACTION,
                path="transactional_id",
                when=_named,
            ),
            _shown(
                AclOperation.IDEMPOTENT_WRITE,
                CLUSTER,
                "without a transactional id; or WRITE on any topic",
            ),
        ),
        "transactions",
    ),
    25: Row((_whole(WRITE, TRANSACTION, "transactional_id"), MEMBER), "transactions"),
    26: Row((_whole(WRITE, TRANSACTION, "transactional_id"),), f"transactions, {OFFSETS}"),
    28: Row(
        (
            _whole(WRITE, TRANSACTION, "transactional_id", "topics"),
            _whole(READ, GROUP, "group_id", "topics"),
            _each(READ, TOPIC, "topics.name", "topics"),
        ),
        OFFSETS,
    ),
    29: Row((_whole(DESCRIBE, CLUSTER),)),
    30: Row((_whole(ALTER, CLUSTER, "", "creations.results"),), "ACLs, where an authorizer is on"),
    31: Row(
        (_whole(ALTER, CLUSTER, "", "filters.filter_results"),), "ACLs, where an authorizer is on"
    ),
    32: Row(_configs(DESCRIBE_CONFIGS, "results")),
    35: Row((_whole(DESCRIBE, CLUSTER, "", ".results"),)),
    36: Row(),
    37: Row((_each(ALTER, TOPIC, "topics.name", "results"),), TOPICS),
    42: Row((_each(DELETE, GROUP, "groups_names.", "results"),), f"groups, and {OFFSETS}"),
    44: Row(_configs(ALTER_CONFIGS, "responses"), "settings of groups"),
    47: Row(
        (_whole(DELETE, GROUP, "group_id"), _each(READ, TOPIC, "topics.name", "topics")), OFFSETS
    ),
    48: Row((_whole(DESCRIBE_CONFIGS, CLUSTER),)),
    49: Row((_whole(ALTER_CONFIGS, CLUSTER, "", "entries"),), "client quotas"),
    50: Row((_whole(DESCRIBE, CLUSTER),)),
    51: Row((_shown(ALTER, CLUSTER, "each user is refused"),), "users, where an authorizer is on"),
    60: Row(),
    65: Row(
        (
            _each(DESCRIBE, TRANSACTION, "transactional_ids.", "transaction_states"),
            _shown(DESCRIBE, TOPIC, "others are left out"),
        )
    ),
    66: Row((_shown(DESCRIBE, TRANSACTION, "others are left out"),)),
    68: Row(
        (
            MEMBER,
            _whole(DESCRIBE, TOPIC, "subscribed_topic_names."),
            _shown(DESCRIBE, TOPIC, "every one that a pattern can match"),
        ),
        GROUPS,
    ),
    69: Row(
        (
            _each(DESCRIBE, GROUP, "group_ids.", "groups"),
            _shown(DESCRIBE, TOPIC, "every one that the group's members have or want"),
        )
    ),
    74: Row((_whole(DESCRIBE_CONFIGS, CLUSTER),)),
    75: Row((_shown(DESCRIBE, TOPIC, "what was not asked for by name is left out"),)),
    10000: Row(
        (
            MEMBER,
            _whole(DESCRIBE, TOPIC, "topics.name"),
            _shown(DESCRIBE, TOPIC, "every one that a filter can match"),
        ),
        GROUPS,
    ),
    10001: Row((MEMBER,), "how long a member is waited for"),
    10002: Row((MEMBER,), GROUPS),
    10010: Row((MEMBER,), "which member assigns"),
    10011: Row((MEMBER,), GROUPS),
}
"""The Kafka port, by API key."""

DRAFT_BY_KEY: Final[Mapping[int, Row]] = {
    3: BY_KEY[3],
    8: BY_KEY[8],
    9: Row(
        (
            _whole(DESCRIBE, GROUP, "group_id", "topics"),
            _each(DESCRIBE, TOPIC, "topics.name", "topics"),
        )
    ),
    10: Row((_whole(DESCRIBE, GROUP, "group_id"),)),
    11: Row((MEMBER, _whole(DESCRIBE, TOPIC, "topics.")), GROUPS),
    12: BY_KEY[12],
    13: BY_KEY[13],
}
"""The listener of the 0.9 draft. APIs that are not here have the row of the Kafka port."""

NEEDS: Final[Mapping[type[Message], Row]] = {
    **{MESSAGES[key].request: row for key, row in BY_KEY.items()},
    **{DRAFT_MESSAGES[key].request: row for key, row in DRAFT_BY_KEY.items()},
}
