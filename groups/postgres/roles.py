"""Who may do what in the database, and how long each may take: one table.

Launcher, grants, connection options and the check at start all read ``ROLES``
(docs/architecture.md, *Roles*). The strict timeouts belong to the node alone: a node that
is paused inside a transaction must not hold rows for longer than a takeover waits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

NODE_TIMEOUTS: Mapping[str, str] = {
    "synchronous_commit": "on",
    "idle_in_transaction_session_timeout": "1s",
    "statement_timeout": "2s",
    # The row lock of a group is never waited for (SKIP LOCKED). Any other lock that is held
    # holds up a whole batch of strangers, until the group to blame has been found by halves.
    "lock_timeout": "100ms",
    "transaction_timeout": "5s",
    "client_connection_check_interval": "1s",
    # A node that vanished without a word must lose its advisory lock within seconds.
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}

UNLIMITED = -1
"""PostgreSQL's own word for a login without a CONNECTION LIMIT."""

WRITES = ("SELECT", "INSERT", "UPDATE", "DELETE")
READS = ("SELECT",)
ADDS = ("SELECT", "INSERT")
"""What only grows for this role: it neither changes nor deletes a row."""

ANALYSES_AT_ONCE = 16
"""Connections of an analysis: one that leads it, and one for each task of Spark's executors."""


@dataclass(frozen=True, slots=True)
class Role:
    """A PostgreSQL role: what it may do to which tables, and its settings.

    ``tables`` maps a table's name to privileges, some of them of single columns; what is not named
    is denied. ``functions`` are those it may execute that not everybody may. ``connections`` is the
    setting that says how many connections its login may have, or a number; None: nobody logs in
    as it.
    """

    name: str
    meaning: str
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[str, ...] = ()
    connections: str | int | None = None


GROUP_TABLES = ("rollcall_group", "rollcall_member", "rollcall_command", "rollcall_offset")
TRANSACTION_TABLES = ("rollcall_producer", "rollcall_txn_group", "rollcall_pending_offset")
PAUSE_TABLES = ("rollcall_pause", "rollcall_follower")
CONNECTION_TABLES = ("rollcall_connection", "rollcall_connections_noted")
NODE_TABLES = (
    *GROUP_TABLES,
    *TRANSACTION_TABLES,
    *PAUSE_TABLES,
    "rollcall_topic",
    "rollcall_node",
    "rollcall_group_config",
)
SHOWN_TABLES = (
    *NODE_TABLES,
    "rollcall_journal",
    "rollcall_slot",
    "rollcall_drain",
    "rollcall_liveness",
    "rollcall_waiting",
    *CONNECTION_TABLES,
    "rollcall_watch",
    "rollcall_offset_history",
    "rollcall_sweep",
    "rollcall_timeline",
    "rollcall_report_run",
    "rollcall_rebalance_cost",
    "auth_permission",
    "django_content_type",
    "django_migrations",
    "django_celery_beat_clockedschedule",
    "django_celery_beat_solarschedule",
)
PEOPLE_TABLES = (
    "auth_user",
    "auth_group",
    "auth_user_groups",
    "auth_user_user_permissions",
    "auth_group_permissions",
    "django_session",
)
LOCKOUT_TABLES = ("axes_accessattempt", "axes_accessattemptexpiration")
SECOND_FACTOR_TABLES = (
    "otp_totp_totpdevice",
    "otp_static_staticdevice",
    "otp_static_statictoken",
)
SCHEDULE_TABLES = (
    "django_celery_beat_periodictask",
    "django_celery_beat_periodictasks",
    "django_celery_beat_intervalschedule",
    "django_celery_beat_crontabschedule",
)
TOPIC_FUNCTIONS = (
    "rollcall_create_topics",
    "rollcall_grow_topic",
    "rollcall_place_topic",
    "rollcall_raise_ends",
)
"""How others than nodes change the catalogue (``groups.catalogue.functions``)."""

DELETE_TOPIC = "rollcall_delete_topic"
"""How the web deletes a topic, with all that was committed for it."""

SET_CONFIGS = "rollcall_set_group_config"
"""How the web changes what a group has of its own (``groups.operations.configs``)."""

ACCESS_FUNCTIONS = (
    "rollcall_create_acls",
    "rollcall_delete_acls",
    "rollcall_set_credential",
    "rollcall_delete_credential",
    "rollcall_set_quotas",
    "rollcall_remove_quotas",
)
"""How the web changes who may do what, and how much, on the Kafka port
(``groups.access.functions``)."""

DRAIN_FUNCTIONS = ("rollcall_drain_node", "rollcall_undrain_node")
"""How the web drains nodes (``groups.operations.drains``)."""

ROLES: tuple[Role, ...] = (
    Role(
        "rollcall_node",
        "a coordinator process: the only one that writes groups, members and offsets",
        {
            **dict.fromkeys(NODE_TABLES, WRITES),
            "rollcall_slot": ("SELECT", "UPDATE"),
            "rollcall_journal": ADDS,
            # What was asked for, and by whom, is not a node's to change.
            "rollcall_operation": (
                "SELECT",
                "UPDATE (state, outcome, detail, generation, finished_at)",
            ),
            "rollcall_liveness": ("SELECT", "INSERT", "UPDATE"),
            "rollcall_watch": ("SELECT", "UPDATE"),
            "rollcall_offset_history": ADDS,
            "rollcall_waiting": WRITES,
            **dict.fromkeys(CONNECTION_TABLES, WRITES),
            "rollcall_timeline": READS,
            "rollcall_drain": READS,
            "rollcall_credential": WRITES,
            "rollcall_acl": ("SELECT", "INSERT", "DELETE"),
            "rollcall_quota": WRITES,
            "rollcall_audit": ADDS,
            "django_migrations": READS,
        },
        NODE_TIMEOUTS,
        ("rollcall_raise_epochs",),
        UNLIMITED,
    ),
    Role(
        "rollcall_web",
        "admin, REST and live pages: reads everything, asks by operations",
        {
            **dict.fromkeys(SHOWN_TABLES, READS),
            **dict.fromkeys((*PEOPLE_TABLES, *LOCKOUT_TABLES, *SCHEDULE_TABLES), WRITES),
            **dict.fromkeys(SECOND_FACTOR_TABLES, WRITES),
            "rollcall_openid_user": ("SELECT", "INSERT", "DELETE"),
            "rollcall_operation": ADDS,
            "rollcall_acknowledgement": WRITES,
            "rollcall_saved_view": WRITES,
            "rollcall_api_token": ("SELECT", "INSERT", "UPDATE (used_at)", "DELETE"),
            "django_admin_log": ADDS,
            "rollcall_audit": ADDS,
            "rollcall_first_password": ("SELECT", "DELETE"),  # it goes with its user
            "rollcall_acl": READS,
            "rollcall_quota": READS,
            "rollcall_quota_entity": READS,
            # A view of the credentials, which nobody but nodes may read.
            "rollcall_user": READS,
            "rollcall_webhook": WRITES,
            # What signs is the worker's alone to read.
            "rollcall_webhook_secret": ("INSERT",),
            "rollcall_webhook_delivery": (*ADDS, "UPDATE (state, next_at, finished_at)"),
            "rollcall_webhook_cursor": ("INSERT",),
        },
        {"statement_timeout": "30s"},
        (*TOPIC_FUNCTIONS, DELETE_TOPIC, SET_CONFIGS, *ACCESS_FUNCTIONS, *DRAIN_FUNCTIONS),
        "WEB_DATABASE_CONNECTIONS_TOTAL",
    ),
    Role(
        "rollcall_worker",
        "periodic tasks: sweeps ask the owner, clean-ups delete what is old",
        {
            **dict.fromkeys((*GROUP_TABLES, *PAUSE_TABLES), READS),
            "rollcall_topic": READS,
            "rollcall_node": READS,
            "rollcall_drain": ("SELECT", "UPDATE (seen_at)", "DELETE"),
            "rollcall_slot": ("SELECT", "UPDATE"),
            "rollcall_journal": ("SELECT", "INSERT", "DELETE"),
            "rollcall_operation": ("SELECT", "INSERT", "DELETE"),
            "rollcall_liveness": ("SELECT", "DELETE"),
            "rollcall_watch": ("SELECT", "UPDATE"),
            "rollcall_group_config": ("SELECT", "DELETE"),
            "rollcall_producer": ("SELECT", "UPDATE", "DELETE"),
            "rollcall_pending_offset": READS,
            "rollcall_sweep": ("SELECT", "INSERT", "UPDATE"),
            "rollcall_waiting": READS,
            "rollcall_acknowledgement": ("SELECT", "DELETE"),
            "rollcall_webhook": (
                "SELECT",
                "UPDATE (enabled, disabled_because, failures, failing_since, not_before,"
                " delivered_at)",
            ),
            "rollcall_webhook_secret": ("SELECT", "DELETE"),
            "rollcall_webhook_delivery": WRITES,
            "rollcall_webhook_cursor": ("SELECT", "UPDATE", "DELETE"),
            **dict.fromkeys(SCHEDULE_TABLES, ("SELECT", "INSERT", "UPDATE")),
            "django_celery_beat_clockedschedule": READS,
            "django_celery_beat_solarschedule": READS,
        },
        {"statement_timeout": "60s"},
        ("rollcall_turn_history", *TOPIC_FUNCTIONS),
        "WORKER_DATABASE_CONNECTIONS_TOTAL",
    ),
    Role(
        "rollcall_analysis",
        "Spark: reads the journal, writes its reports",
        {
            "rollcall_journal": READS,
            "rollcall_report_run": WRITES,
            "rollcall_rebalance_cost": WRITES,
        },
        connections=ANALYSES_AT_ONCE,
    ),
    Role(
        "rollcall_application",
        "users' own programs: may execute the functions made for them",
        functions=("rollcall_commit_offsets", "rollcall_committed_offsets"),
    ),
)
"""Beside these, the user of ``ROLLCALL_DATABASE_URL`` is the migrator and owns the tables."""

BY_NAME: Mapping[str, Role] = {role.name: role for role in ROLES}


def options(role: str, over: Mapping[str, str] | None = None, *, taken: bool) -> str:
    """libpq's ``options`` for a process of this role: its settings, and the role unless roles
    are not ``taken`` here; ``over`` replaces some settings."""
    settings = {**BY_NAME[role].settings, **(over or {}), **({"role": role} if taken else {})}
    return " ".join(f"-c {name}={value}" for name, value in settings.items())
