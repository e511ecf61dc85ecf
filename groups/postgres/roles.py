"""Which role may do what in the database, and its timeouts: one table.

Launcher, grants, connection options and the check at the start all read ``ROLES``
(docs/architecture.md, *Roles*). Only nodes have the strict timeouts: a node that is suspended
inside a transaction must not hold rows for longer than a takeover waits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

NODE_TIMEOUTS: Mapping[str, str] = {
    "synchronous_commit": "on",
    "idle_in_transaction_session_timeout": "1s",
    "statement_timeout": "2s",
    # The row lock of a group is never waited for (SKIP LOCKED). A wait for any other lock delays a
    # whole batch of other groups, until bisection has found the group that causes it.
    "lock_timeout": "100ms",
    "transaction_timeout": "5s",
    "client_connection_check_interval": "1s",
    # Readers and the doorbell are idle for as long as nobody asks and nothing happens.
    "idle_session_timeout": "0",
    # A node that vanished must lose its advisory lock within seconds.
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}

FORMS: Mapping[str, str] = {
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "bytea_output": "hex",
    "array_nulls": "on",
    "standard_conforming_strings": "on",
    "search_path": "public",
    "client_encoding": "UTF8",
    "default_transaction_isolation": r"read\ committed",
    "default_transaction_deferrable": "off",
}
"""How every process sends and reads values, and what its transactions see, whatever ``ALTER
DATABASE`` or ``ALTER ROLE ... SET`` say: psycopg cannot read the times of ``DateStyle`` German,
arrays are sent as text with nulls, tables are named without their schema, which that of the
functions is, and the guard needs each statement to see what was committed before it. Whether the
database is read-only is an operator's to say."""

UNLIMITED = -1
"""PostgreSQL's value for a login without a CONNECTION LIMIT."""

WRITES = ("SELECT", "INSERT", "UPDATE", "DELETE")
READS = ("SELECT",)
ADDS = ("SELECT", "INSERT")
"""Tables to which this role only adds: it neither changes nor deletes their rows."""

ANALYSES_AT_ONCE = 16
"""Connections of an analysis: one for its driver, and one for each task of Spark's executors."""


@dataclass(frozen=True, slots=True)
class Role:
    """A PostgreSQL role: its privileges on tables, and its settings.

    ``tables`` maps a table's name to privileges, some of them on single columns; others are denied.
    ``functions`` are the restricted functions that it may execute. ``connections`` is the setting
    with the maximum number of connections of its login, or a number; None: it has no login.
    ``takes_locks``: its processes take advisory locks (``groups.postgres.strangers``).
    """

    name: str
    meaning: str
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[str, ...] = ()
    connections: str | int | None = None
    takes_locks: bool = True


GROUP_TABLES = ("rollcall_group", "rollcall_member", "rollcall_command", "rollcall_offset")
TRANSACTION_TABLES = ("rollcall_producer", "rollcall_txn_group", "rollcall_pending_offset")
PAUSE_TABLES = ("rollcall_pause", "rollcall_follower")
OPEN_FACT_TABLES = ("rollcall_life_open", "rollcall_ownership_open")
FACT_TABLES = ("rollcall_life", "rollcall_ownership", "rollcall_round", "rollcall_silence")
FACT_READS = (
    "rollcall_era",
    "rollcall_facts_floor",
    "rollcall_facts_packed",
    "rollcall_progress",
    *OPEN_FACT_TABLES,
    *FACT_TABLES,
)
FACT_FUNCTIONS = ("rollcall_pack_facts", "rollcall_turn_packed", "rollcall_turn_facts")
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
    "rollcall_group_counts",
    "rollcall_last_hour",  # a view of the journal
    *CONNECTION_TABLES,
    "rollcall_watch",
    "rollcall_offset_history",
    "rollcall_sweep",
    "rollcall_timeline",
    *FACT_READS,
    "rollcall_fleet_hour",
    "rollcall_node_minute",
    "rollcall_report_run",
    "rollcall_report_row",
    "rollcall_report_run_row",  # a view of both
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
"""Functions by which other processes than nodes change the catalogue
(``console.operations.topic_functions``)."""

DELETE_TOPIC = "rollcall_delete_topic"
"""The function by which the web deletes a topic, with all its committed offsets."""

SET_CONFIGS = "rollcall_set_group_config"
"""The function by which the web changes a group's own settings (``console.operations.configs``)."""

ACCESS_FUNCTIONS = (
    "rollcall_create_acls",
    "rollcall_delete_acls",
    "rollcall_set_credential",
    "rollcall_delete_credential",
    "rollcall_set_quotas",
    "rollcall_remove_quotas",
)
"""The functions by which the web changes ACLs and quotas of the Kafka port
(``console.operations.client_functions``)."""

NODE_FUNCTIONS = ("rollcall_drain_node", "rollcall_undrain_node", "rollcall_forget_node")
"""The functions by which the web drains and forgets nodes (``console.operations.drains``,
``console.operations.nodes``)."""

ROLES: tuple[Role, ...] = (
    Role(
        "rollcall_node",
        "a coordinator process: the only one that writes groups, members and offsets",
        {
            **dict.fromkeys(NODE_TABLES, WRITES),
            "rollcall_slot": ("SELECT", "UPDATE"),
            "rollcall_journal": ADDS,
            # A node may not change what was requested, and by whom.
            "rollcall_operation": (
                "SELECT",
                "UPDATE (state, outcome, detail, generation, finished_at)",
            ),
            "rollcall_liveness": ("SELECT", "INSERT", "UPDATE", "DELETE"),
            "rollcall_watch": ("SELECT", "UPDATE"),
            "rollcall_offset_history": ADDS,
            "rollcall_era": READS,
            **dict.fromkeys(OPEN_FACT_TABLES, WRITES),
            **dict.fromkeys(FACT_TABLES, ADDS),
            "rollcall_waiting": WRITES,
            "rollcall_node_minute": ("SELECT", "INSERT", "DELETE"),
            "rollcall_group_counts": ("SELECT", "INSERT", "UPDATE"),
            **dict.fromkeys(CONNECTION_TABLES, WRITES),
            "rollcall_timeline": READS,
            "rollcall_drain": READS,
            "rollcall_credential": WRITES,
            "rollcall_acl": ("SELECT", "INSERT", "DELETE"),
            "rollcall_quota": WRITES,
            "rollcall_audit": ADDS,
            "rollcall_node_settings": ("SELECT", "INSERT", "UPDATE"),
            "django_migrations": READS,
        },
        NODE_TIMEOUTS,
        ("rollcall_raise_epochs", "rollcall_end_holders"),
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
            "rollcall_attention_rule": WRITES,
            "rollcall_advice_decision": WRITES,
            "rollcall_mark": WRITES,
            "rollcall_saved_view": WRITES,
            "rollcall_api_token": ("SELECT", "INSERT", "UPDATE (used_at)", "DELETE"),
            "django_admin_log": ADDS,
            "rollcall_audit": ADDS,
            "rollcall_first_password": ("SELECT", "DELETE"),  # it is deleted with its user
            "rollcall_acl": READS,
            "rollcall_quota": READS,
            "rollcall_quota_entity": READS,
            # A view of the credentials, which only nodes may read.
            "rollcall_user": READS,
            "rollcall_webhook": WRITES,
            # Only the worker may read signing keys.
            "rollcall_webhook_secret": ("INSERT",),
            "rollcall_webhook_delivery": (*ADDS, "UPDATE (state, next_at, finished_at)"),
            "rollcall_webhook_cursor": ("INSERT",),
        },
        {"statement_timeout": "30s"},
        (*TOPIC_FUNCTIONS, DELETE_TOPIC, SET_CONFIGS, *ACCESS_FUNCTIONS, *NODE_FUNCTIONS),
        "WEB_DATABASE_CONNECTIONS_TOTAL",
    ),
    Role(
        "rollcall_worker",
        "periodic tasks: sweeps ask the owner, clean-ups delete what is old",
        {
            **dict.fromkeys((*GROUP_TABLES, *PAUSE_TABLES), READS),
            "rollcall_topic": READS,
            "rollcall_node": ("SELECT", "DELETE"),
            "rollcall_drain": ("SELECT", "UPDATE (seen_at)", "DELETE"),
            "rollcall_node_lease": ("SELECT", "UPDATE (seen_at)", "DELETE"),
            "rollcall_beat_lease": WRITES,
            "rollcall_slot": ("SELECT", "UPDATE"),
            "rollcall_journal": ("SELECT", "INSERT", "DELETE"),
            "rollcall_operation": ("SELECT", "INSERT", "DELETE"),
            "rollcall_liveness": ("SELECT", "DELETE"),
            "rollcall_watch": ("SELECT", "UPDATE"),
            "rollcall_group_config": ("SELECT", "DELETE"),
            "rollcall_producer": ("SELECT", "UPDATE", "DELETE"),
            "rollcall_pending_offset": READS,
            "rollcall_sweep": ("SELECT", "INSERT", "UPDATE"),
            "rollcall_era": READS,
            "rollcall_offset_history": READS,
            **dict.fromkeys(("rollcall_life", "rollcall_life_open"), READS),
            "rollcall_progress": ADDS,
            "rollcall_round": READS,
            "rollcall_fleet_hour": ("SELECT", "INSERT", "DELETE"),
            "rollcall_progress_done": ("SELECT", "INSERT", "UPDATE"),
            "rollcall_waiting": READS,
            "rollcall_group_counts": ("SELECT", "DELETE"),
            **dict.fromkeys(
                ("rollcall_acknowledgement", "rollcall_attention_rule"), ("SELECT", "DELETE")
            ),
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
        ("rollcall_turn_history", *FACT_FUNCTIONS, *TOPIC_FUNCTIONS),
        "WORKER_DATABASE_CONNECTIONS_TOTAL",
    ),
    Role(
        "rollcall_analysis",
        "Spark: reads the journal and the facts, writes its reports",
        {
            "rollcall_journal": READS,
            "rollcall_offset_history": READS,
            **dict.fromkeys((*FACT_READS, "rollcall_mark"), READS),
            "rollcall_report_run": WRITES,
            "rollcall_report_row": WRITES,
            "rollcall_report_run_row": READS,
        },
        connections=ANALYSES_AT_ONCE,
    ),
    Role(
        "rollcall_application",
        "users' own programs: may execute the functions made for them",
        functions=("rollcall_commit_offsets", "rollcall_committed_offsets"),
        takes_locks=False,
    ),
)
"""In addition to these, the user of ``ROLLCALL_DATABASE_URL`` is the migrator and owns the
tables."""

BY_NAME: Mapping[str, Role] = {role.name: role for role in ROLES}


def options(role: str, over: Mapping[str, str] | None = None, *, taken: bool) -> str:
    """libpq's ``options`` for a process of this role: its settings, and the role if it has to be
    set (``taken``); ``over`` replaces some settings. "": the migrator, which is no role of ours."""
    own = BY_NAME[role].settings if role else {}
    taking = {"role": role} if role and taken else {}
    settings = {**FORMS, **own, **(over or {}), **taking}
    return " ".join(f"-c {name}={value}" for name, value in settings.items())
