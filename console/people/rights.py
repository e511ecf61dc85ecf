"""The rights for REST, the admin and websockets: one table.

Each interface checks it before it does anything, and a route without a row is forbidden to all: so
a new route needs a row. ``docs/rights.md`` is generated from it, and tests walk through the URLs.
``console.people.staff_roles`` has the permissions of each role. Rows and permissions only; only
``may`` decides.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from console.journal_subjects import EVERY_KIND, SUBJECTS, Kinds, Subject
from groups.core import operations
from groups.core.operations import OPERATIONS, Target

ANYBODY: Final = "anybody"
LOGGED_IN: Final = "logged in"
NOBODY: Final = "nobody"
HELD_UP: Final = "rollcall_held_up"
"""The first three are in place of a permission; every user of the admin is staff. The last one
marks a user with a duty (``console.people.held_up``)."""

VIEW_GROUP: Final = "groups.view_group"
VIEW_TOPIC: Final = "groups.view_topic"
VIEW_OPERATION: Final = "groups.view_operation"
VIEW_NODE: Final = "groups.view_node"
VIEW_CONNECTION: Final = "groups.view_clientconnection"
VIEW_AUDIT: Final = "groups.view_auditentry"
REBALANCE: Final = "groups.rebalance_group"
EVICT: Final = "groups.evict_member"
PAUSE: Final = "groups.pause_group"
FREEZE: Final = "groups.freeze_group"
DELETE: Final = "groups.delete_group"
RESTORE: Final = "groups.restore_offsets"
CONFIGURE: Final = "groups.change_groupconfig"
DRAIN: Final = "groups.drain_node"
VIEW_REPORT: Final = "groups.view_reportrun"
ANALYSE: Final = "groups.add_reportrun"
DECIDE: Final = "groups.add_advicedecision"
MARK: Final = "groups.add_mark"
VIEW_ACL: Final = "groups.view_acl"
ADD_ACL: Final = "groups.add_acl"
DELETE_ACL: Final = "groups.delete_acl"
VIEW_KAFKA_USER: Final = "groups.view_kafkauser"
CHANGE_KAFKA_USER: Final = "groups.change_kafkauser"
DELETE_KAFKA_USER: Final = "groups.delete_kafkauser"
VIEW_QUOTA: Final = "groups.view_clientquota"
CHANGE_QUOTA: Final = "groups.change_clientquota"
DELETE_QUOTA: Final = "groups.delete_clientquota"
ACKNOWLEDGE: Final = "groups.add_acknowledgement"
VIEW_WEBHOOK: Final = "groups.view_webhook"
CHANGE_WEBHOOK: Final = "groups.change_webhook"

SCOPES: Final[Mapping[str, str]] = {
    "read": "reads what its user may read",
    "operate": "rebalances, evicts, stops and starts work, freezes, configures groups, drains"
    " nodes, acknowledges, starts analyses, decides about advice,"
    " marks times",
    "offsets": "restores, resets and deletes offsets",
    "catalogue": "creates and grows topics, and sets their racks",
    "admin": "everything else",
}
"""The scopes of tokens. A scope restricts the rights of the token's user, and adds none."""

_SCOPE_OF: Final[Mapping[str, str]] = {
    LOGGED_IN: "read",
    REBALANCE: "operate",
    EVICT: "operate",
    PAUSE: "operate",
    FREEZE: "operate",
    CONFIGURE: "operate",
    DRAIN: "operate",
    ANALYSE: "operate",
    DECIDE: "operate",
    MARK: "operate",
    ACKNOWLEDGE: "operate",
    RESTORE: "offsets",
    "groups.add_topic": "catalogue",
    "groups.change_topic": "catalogue",
}


def scope_of(permission: str) -> str:
    """The scope that a token needs for this permission."""
    looks = permission.partition(".")[2].startswith("view_")
    return "read" if looks else _SCOPE_OF.get(permission, "admin")


Row = Mapping[str, str]
"""What each method needs. HEAD and OPTIONS need the same as GET."""

PATHS: Final[Mapping[Target, str]] = {
    Target.GROUP: "groups/<id:group_id>",
    Target.MEMBER: "groups/<id:group_id>/members/<id:member_id>",
}
"""The paths of what operations are about; an operation's own is below."""


def _posted(row: operations.Row) -> Row:
    """The rights of a path of an operation."""
    return {"POST": f"groups.{row.permission}"}


REST: Final[Mapping[str, Row]] = {
    "schema": {"GET": LOGGED_IN},
    "docs": {"GET": LOGGED_IN},
    "me": {"GET": LOGGED_IN},
    "groups": {"GET": VIEW_GROUP},
    **{f"groups:{name}": _posted(row) for name, row in OPERATIONS.items() if row.many},
    "groups/<id:group_id>": {"GET": VIEW_GROUP, "DELETE": DELETE},
    "groups/<id:group_id>/config": {"GET": VIEW_GROUP, "PATCH": CONFIGURE},
    "groups/<id:group_id>/members": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/journal": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/offsets": {"GET": VIEW_GROUP, "DELETE": RESTORE},
    "groups/<id:group_id>/offsets/restores": {"POST": RESTORE},
    "groups/<id:group_id>/offsets/resets": {"POST": RESTORE},
    "groups/<id:group_id>/rebalances": {"GET": VIEW_GROUP, "POST": REBALANCE},
    "groups/<id:group_id>/rebalances/<int:generation>": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/offsets/history": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/assignment": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/lives": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/rounds": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/owners": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/progress": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/comparison": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/timeline": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/attention": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/foresight": {"GET": VIEW_GROUP},
    "groups/<id:group_id>/waiting": {"GET": VIEW_GROUP},
    **{
        f"{path}/{name}": _posted(row)
        for target, path in PATHS.items()
        for name, row in OPERATIONS.items()
        if target in row.says and name.tail == name
    },
    "groups/<id:group_id>/members/<id:member_id>": {"DELETE": EVICT},
    "operations": {"GET": VIEW_OPERATION},
    "operations/<int:operation_id>": {"GET": VIEW_OPERATION},
    "operations/<int:operation_id>/undo": {"POST": RESTORE},
    "topics": {"GET": VIEW_TOPIC, "POST": "groups.add_topic"},
    "topics/<id:name>": {
        "GET": VIEW_TOPIC,
        "PATCH": "groups.change_topic",
        "DELETE": "groups.delete_topic",
    },
    "topics/<id:name>/journal": {"GET": VIEW_TOPIC},
    "topics/<id:name>/partitions": {"GET": VIEW_TOPIC},
    "topics/<id:name>/racks": {"PUT": "groups.change_topic"},
    "journal": {"GET": VIEW_GROUP},
    "journal/events": {"GET": VIEW_GROUP},
    "attention": {"GET": VIEW_GROUP},
    "audit": {"GET": VIEW_AUDIT},
    "rules": {"GET": VIEW_GROUP},
    "slots": {"GET": VIEW_NODE},
    "attention/acknowledgements": {"GET": VIEW_GROUP, "POST": ACKNOWLEDGE},
    "attention/acknowledgements/<int:acknowledgement_id>": {"DELETE": ACKNOWLEDGE},
    "attention/rules": {"GET": VIEW_GROUP, "POST": ACKNOWLEDGE},
    "attention/rules/<int:rule_id>": {"DELETE": ACKNOWLEDGE},
    "nodes": {"GET": VIEW_NODE},
    "connections": {"GET": VIEW_CONNECTION},
    "nodes/drains": {"GET": VIEW_NODE},
    "nodes/<int:node_id>/drain": {"POST": DRAIN},
    "nodes/<int:node_id>/undrain": {"POST": DRAIN},
    "nodes/<int:node_id>/forget": {"POST": DRAIN},
    "acls": {"GET": VIEW_ACL, "POST": ADD_ACL, "DELETE": DELETE_ACL},
    "quotas": {"GET": VIEW_QUOTA, "PUT": CHANGE_QUOTA, "DELETE": DELETE_QUOTA},
    "users": {"GET": VIEW_KAFKA_USER},
    "users/<id:user>": {
        "GET": VIEW_KAFKA_USER,
        "PUT": CHANGE_KAFKA_USER,
        "DELETE": DELETE_KAFKA_USER,
    },
    "webhooks": {"GET": VIEW_WEBHOOK, "POST": "groups.add_webhook"},
    "webhooks/<int:webhook_id>": {
        "GET": VIEW_WEBHOOK,
        "PATCH": CHANGE_WEBHOOK,
        "DELETE": "groups.delete_webhook",
    },
    "webhooks/<int:webhook_id>/secrets": {"POST": CHANGE_WEBHOOK},
    "webhooks/<int:webhook_id>/tests": {"POST": CHANGE_WEBHOOK},
    "webhooks/<int:webhook_id>/deliveries": {"GET": "groups.view_webhookdelivery"},
    "webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/redeliveries": {"POST": CHANGE_WEBHOOK},
    "lives": {"GET": VIEW_GROUP},
    "owners": {"GET": VIEW_GROUP},
    "progress": {"GET": VIEW_GROUP},
    "marks": {"GET": VIEW_GROUP, "POST": MARK},
    "marks/<int:mark_id>": {"DELETE": MARK},
    "advice": {"GET": VIEW_REPORT},
    "advice/decisions": {"GET": VIEW_REPORT, "POST": DECIDE},
    "advice/decisions/<int:decision_id>": {"DELETE": DECIDE},
    "reports": {"GET": VIEW_REPORT, "POST": ANALYSE},
    "reports/runs": {"GET": VIEW_REPORT},
    "reports/<id:report>": {"GET": VIEW_REPORT},
}
"""By the route under /api/v1/. The twin of a path (docs/rest.md) is the same route."""

PARTITION: Final = "<id:topic>/partitions/<int:partition>"

CONFLUENT: Final[Mapping[str, Row]] = {
    f"clusters/<id:cluster_id>/consumer-groups{rest}": {"GET": VIEW_GROUP}
    for rest in (
        "",
        "/<id:group_id>",
        "/<id:group_id>/consumers",
        "/<id:group_id>/consumers/<id:consumer_id>",
        "/<id:group_id>/consumers/<id:consumer_id>/assignments",
        f"/<id:group_id>/consumers/<id:consumer_id>/assignments/{PARTITION}",
        "/<id:group_id>/lag-summary",
        "/<id:group_id>/lags",
        f"/<id:group_id>/lags/{PARTITION}",
    )
}
"""By the route under /kafka/v3/."""


def of_route(route: str) -> Row | None:
    """The row of a REST route; None: there is none, so it is forbidden."""
    for prefix, table in (("api/v1/", REST), ("kafka/v3/", CONFLUENT)):
        if route.startswith(prefix):
            return table.get(route.removeprefix(prefix))
    return None


def seen_at(route: str) -> str:
    """The right to read the resource of a REST route, or of the nearest one above it: what a dry
    run of a change shows."""
    while route:
        row = of_route(route) or {}
        if "GET" in row:
            return row["GET"]
        route = route.rpartition(":" if VERB_OF_MANY.fullmatch(route) else "/")[0]
    return NOBODY


VERB_OF_MANY: Final = re.compile(r".*/groups:\w+")


SERVICES: Final[Mapping[str, Row]] = {
    "metrics": {"GET": VIEW_GROUP},
    "oidc/login": {"GET": ANYBODY},
    "oidc/callback": {"GET": ANYBODY},
}
"""By the path outside of REST and the admin. ``/livez`` and ``/readyz`` need no rights."""

SOCKETS: Final[Mapping[str, str]] = {"ws/groups/": VIEW_GROUP}
"""By the websocket's path."""


JOURNAL: Final[Mapping[Subject, str]] = {
    Subject.GROUP: VIEW_GROUP,
    Subject.TOPIC: VIEW_TOPIC,
    Subject.NODE: VIEW_NODE,
    Subject.ACL: VIEW_ACL,
    Subject.CREDENTIAL: VIEW_KAFKA_USER,
    Subject.QUOTA: VIEW_QUOTA,
}
"""By what entries of the journal are about: in every list, page, stream and webhook."""


class Model(NamedTuple):
    """The rights of a model's pages. ``pages`` are those besides Django's own, by the end of their
    URL's name; ``actions`` apply to selected rows of the list."""

    view: str
    add: str = NOBODY
    change: str = NOBODY
    delete: str = NOBODY
    pages: Mapping[str, Row] = {}
    actions: Mapping[str, str] = {}


def _edited(app: str, name: str, **more: Any) -> Model:
    """A model that is edited and deleted with Django's pages."""
    view, add, change, delete = (f"{app}.{verb}_{name}" for verb in ("view", "add", *EDITS))
    actions = {"delete_selected": delete, **more.pop("actions", {})}
    return Model(view, add, change, delete, actions=actions, **more)


EDITS: Final = ("change", "delete")
BEAT: Final = "django_celery_beat"
SWITCH: Final = f"{BEAT}.change_periodictask"
BOTH: Final = ("GET", "POST")

MODELS: Final[Mapping[str, Model]] = {
    "groups_group": Model(
        VIEW_GROUP,
        pages={
            "live": {"GET": VIEW_GROUP},
            "timeline": {"GET": VIEW_GROUP},
            "picture": {"GET": VIEW_GROUP},
            "rebalance": dict.fromkeys(BOTH, REBALANCE),
            **{
                name.value: dict.fromkeys(BOTH, f"groups.{row.permission}")
                for name, row in OPERATIONS.items()
                if row.button
            },
            "pause": dict.fromkeys(BOTH, PAUSE),
            "reset": dict.fromkeys(BOTH, RESTORE),
            "freeze": dict.fromkeys(BOTH, FREEZE),
            "configure": dict.fromkeys(BOTH, CONFIGURE),
            "remove": dict.fromkeys(BOTH, DELETE),
            "change": {"GET": VIEW_GROUP},
        },
        actions={
            "force_rebalances": REBALANCE,
            "stop_work": PAUSE,
            "start_work": PAUSE,
            "freeze_groups": FREEZE,
            "thaw_groups": FREEZE,
        },
    ),
    "groups_topic": Model(
        VIEW_TOPIC, "groups.add_topic", "groups.change_topic", "groups.delete_topic"
    ),
    "groups_node": Model(
        VIEW_NODE,
        pages={page: dict.fromkeys(BOTH, DRAIN) for page in ("drain", "forget")},
    ),
    "groups_operation": Model(
        VIEW_OPERATION,
        pages={
            "live": {"GET": VIEW_OPERATION},
            "many": {"GET": VIEW_OPERATION},
            "undo": {"POST": RESTORE},
            "change": {"GET": VIEW_OPERATION},
        },
    ),
    "groups_acknowledgement": Model(VIEW_GROUP, ACKNOWLEDGE, delete=ACKNOWLEDGE),
    "groups_attentionrule": Model(VIEW_GROUP, ACKNOWLEDGE, delete=ACKNOWLEDGE),
    # One's own views; every user who sees the list has some.
    "groups_savedview": Model(VIEW_GROUP, VIEW_GROUP, VIEW_GROUP, VIEW_GROUP),
    "groups_auditentry": Model(VIEW_AUDIT, pages={"csv": {"GET": VIEW_AUDIT}}),
    "groups_mark": Model(VIEW_GROUP, MARK, delete=MARK),
    "groups_advicedecision": Model(VIEW_REPORT, DECIDE, delete=DECIDE),
    "groups_reportrun": Model(
        VIEW_REPORT,
        pages={
            "newest": {"GET": VIEW_REPORT},
            "now": {"GET": VIEW_REPORT},
            "download": {"GET": VIEW_REPORT},
            "analyse": {"POST": ANALYSE},
        },
    ),
    # Every user sees, creates and revokes their own tokens; groups.view_apitoken and
    # groups.delete_apitoken apply to those of others.
    "groups_apitoken": Model(
        LOGGED_IN, LOGGED_IN, delete=LOGGED_IN, actions={"delete_selected": LOGGED_IN}
    ),
    "groups_acl": Model(
        VIEW_ACL, ADD_ACL, delete=DELETE_ACL, actions={"delete_selected": DELETE_ACL}
    ),
    "groups_kafkauser": Model(
        VIEW_KAFKA_USER,
        CHANGE_KAFKA_USER,
        CHANGE_KAFKA_USER,
        DELETE_KAFKA_USER,
        actions={"delete_selected": DELETE_KAFKA_USER},
    ),
    "groups_quotaentity": Model(
        VIEW_QUOTA,
        CHANGE_QUOTA,
        CHANGE_QUOTA,
        DELETE_QUOTA,
        actions={"delete_selected": DELETE_QUOTA},
    ),
    "groups_webhook": Model(
        VIEW_WEBHOOK,
        "groups.add_webhook",
        CHANGE_WEBHOOK,
        "groups.delete_webhook",
        actions={
            "delete_selected": "groups.delete_webhook",
            "send_test": CHANGE_WEBHOOK,
            "new_secret": CHANGE_WEBHOOK,
        },
    ),
    "groups_webhookdelivery": Model(
        "groups.view_webhookdelivery", actions={"deliver_again": CHANGE_WEBHOOK}
    ),
    "auth_user": _edited(
        "auth", "user", pages={"password_change": dict.fromkeys(BOTH, "auth.change_user")}
    ),
    "auth_group": _edited("auth", "group"),
    # Every user has their own on one page; the list is for those who manage people.
    "otp_totp_totpdevice": Model(
        "auth.view_user",
        delete="auth.change_user",
        pages={"mine": dict.fromkeys(BOTH, LOGGED_IN)},
        actions={"delete_selected": "auth.change_user"},
    ),
    f"{BEAT}_periodictask": _edited(
        BEAT, "periodictask", actions={"enable": SWITCH, "disable": SWITCH}
    ),
    f"{BEAT}_intervalschedule": _edited(BEAT, "intervalschedule"),
    f"{BEAT}_crontabschedule": _edited(BEAT, "crontabschedule"),
}
"""By the application and the name of the model."""

SITE: Final[Mapping[str, Row]] = {
    "index": {"GET": LOGGED_IN},
    "search": {"GET": LOGGED_IN},
    "app_list": {"GET": LOGGED_IN},
    "autocomplete": {"GET": NOBODY},  # no page uses it
    "jsi18n": {"GET": LOGGED_IN},
    "view_on_site": {"GET": NOBODY},  # it tells of any row of any table whether it exists
    "login": dict.fromkeys(BOTH, ANYBODY),
    "logout": {"POST": LOGGED_IN},
    "password_change": dict.fromkeys(BOTH, LOGGED_IN),
    "password_change_done": {"GET": LOGGED_IN},
    "(?P<url>.*)$": dict.fromkeys(BOTH, LOGGED_IN),  # all other paths: not found
}
"""Pages of the admin without a model."""


def _pages() -> Iterator[tuple[str, Row]]:
    for label, model in MODELS.items():
        yield f"{label}_changelist", dict.fromkeys(BOTH, model.view)
        yield f"{label}_add", dict.fromkeys(BOTH, model.add)
        yield f"{label}_delete", dict.fromkeys(BOTH, model.delete)
        yield f"{label}_change", {"GET": model.view, "POST": model.change}
        yield f"{label}_history", {"GET": model.view}
        for name, row in model.pages.items():
            yield f"{label}_{name}", row
    yield from SITE.items()


ADMIN: Final[Mapping[str, Row]] = dict(_pages())
"""By the URL's name. In a list POST selects an action, which has its own permission."""

SHOWN: Final[Mapping[str, str]] = {
    f"{label}_{page}": model.view
    for label, model in MODELS.items()
    for page in ("delete", "change", *model.pages)
    if LOGGED_IN not in ADMIN[f"{label}_{page}"].values()
}
"""Pages of one row, which show it, also before an act: they need the right to see it as well."""


def needed(row: Row, method: str) -> str | None:
    """The right that a method needs; None: the row has no such method."""
    if method in ("HEAD", "OPTIONS"):
        return row.get("GET", next(iter(row.values())))
    return row.get(method)


def may(user: Any, permission: str) -> bool:
    """Whether the user has the right."""
    if permission in (ANYBODY, NOBODY):
        return permission == ANYBODY
    if not user or not user.is_authenticated:
        return False
    if getattr(user, HELD_UP, None):
        return permission == LOGGED_IN
    return permission == LOGGED_IN or bool(user.has_perm(permission))


def kinds(user: Any) -> Kinds:
    """The kinds of journal entries that the user may read."""
    held = {subject for subject, permission in JOURNAL.items() if may(user, permission)}
    if held == JOURNAL.keys():
        return EVERY_KIND
    return Kinds(frozenset(kind for kind, subject in SUBJECTS.items() if subject in held))


def needed_for(kind: str) -> str:
    """The right to read entries of this kind, for a refusal."""
    return next(JOURNAL[about] for known, about in SUBJECTS.items() if known == kind)
