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

WRITES_GROUPS = ("SELECT", "INSERT", "UPDATE", "DELETE")
READS = ("SELECT",)


@dataclass(frozen=True, slots=True)
class Role:
    """A PostgreSQL role: what it may do to which tables, and its settings.

    ``tables`` maps a table name, or "*" for all of Rollcall's and Django's, to privileges;
    ``functions`` are those it may execute that not everybody may. ``connections`` is the setting
    that says how many connections its login may have, or a number; None: nobody logs in as it.
    ``takes`` are roles that it may take for a moment.
    """

    name: str
    meaning: str
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[str, ...] = ()
    connections: str | int | None = None
    takes: tuple[str, ...] = ()


GROUP_TABLES = ("rollcall_group", "rollcall_member", "rollcall_command", "rollcall_offset")
TRANSACTION_TABLES = ("rollcall_producer", "rollcall_txn_group", "rollcall_pending_offset")
PAUSE_TABLES = ("rollcall_pause", "rollcall_follower")
NODE_TABLES = (
    *GROUP_TABLES,
    *TRANSACTION_TABLES,
    "rollcall_topic",
    "rollcall_node",
    "rollcall_slot",
)

ROLES: tuple[Role, ...] = (
    Role(
        "rollcall_node",
        "a coordinator process: the only one that writes groups, members and offsets",
        {
            **dict.fromkeys(NODE_TABLES, WRITES_GROUPS),
            "rollcall_group_config": WRITES_GROUPS,
            **dict.fromkeys(PAUSE_TABLES, WRITES_GROUPS),
            "rollcall_journal": ("SELECT", "INSERT"),
            "rollcall_operation": ("SELECT", "UPDATE"),
            "rollcall_liveness": ("SELECT", "INSERT", "UPDATE"),
            "rollcall_watch": ("SELECT", "UPDATE"),
            "rollcall_offset_history": ("SELECT", "INSERT"),
            "rollcall_timeline": READS,
            "rollcall_credential": WRITES_GROUPS,
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
            "*": WRITES_GROUPS,
            **dict.fromkeys((*GROUP_TABLES, *TRANSACTION_TABLES), READS),
            "rollcall_journal": READS,
            "rollcall_slot": READS,
            "rollcall_node": READS,
            "rollcall_operation": ("SELECT", "INSERT"),
            "rollcall_liveness": READS,
            "rollcall_watch": READS,
            "rollcall_offset_history": READS,
            "rollcall_sweep": READS,
            "rollcall_group_config": READS,
            "rollcall_timeline": READS,
            **dict.fromkeys(PAUSE_TABLES, READS),
            "rollcall_credential": (),
        },
        {"statement_timeout": "30s"},
        connections="WEB_DATABASE_CONNECTIONS_TOTAL",
        takes=("rollcall_node",),  # to make and grow topics
    ),
    Role(
        "rollcall_worker",
        "periodic tasks: sweeps ask the owner, clean-ups delete what is old",
        {
            "*": WRITES_GROUPS,
            **dict.fromkeys((*GROUP_TABLES, *TRANSACTION_TABLES), READS),
            "rollcall_producer": ("SELECT", "UPDATE", "DELETE"),
            "rollcall_slot": ("SELECT", "UPDATE"),
            "rollcall_offset_history": READS,
            "rollcall_timeline": READS,
            "rollcall_group_config": ("SELECT", "DELETE"),
            **dict.fromkeys(PAUSE_TABLES, READS),
            "rollcall_credential": (),
        },
        {"statement_timeout": "60s"},
        ("rollcall_turn_history",),
        "WORKER_DATABASE_CONNECTIONS_TOTAL",
        ("rollcall_node",),
    ),
    Role(
        "rollcall_analysis",
        "Spark: reads the journal, writes its reports",
        {
            "rollcall_journal": READS,
            "rollcall_group": READS,
            "rollcall_offset": READS,
            "rollcall_offset_history": READS,
            "rollcall_report_run": WRITES_GROUPS,
            "rollcall_rebalance_cost": WRITES_GROUPS,
        },
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
