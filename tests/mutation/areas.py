"""Which files are mutated, and which tests each must convince: one table.

Tests come in this order, the quickest first, and end with the first that fails. What a row needs a
database for, or Django's models, gets one of its own for each mutant.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

STRICT = ("rules", "store")
STRICT_SHARE = 0.95
"""So many of the mutants of these areas must be killed, of those that are not accepted."""


@dataclass(frozen=True)
class Row:
    """Files of an area, as patterns, and the tests of these files."""

    area: str
    files_mutated: tuple[str, ...]
    tests: tuple[str, ...]
    has_database: bool = False
    last: tuple[str, ...] = ()
    """What costs a server: only what all others let pass is put to it, with a database."""


def _in(folder: str, names: str) -> tuple[str, ...]:
    return tuple(f"tests/{folder}/test_{name}.py" for name in names.split())


CORE = _in(
    "core",
    "scenarios classic_group holding rebalances restart_grace stalls subscription group_configs"
    " expiry offsets offsets_of_every_kind time_of_every_kind limits_of_every_kind topics"
    " transactions kinds numbers other_kinds journal votes classic_machine"
    " growth bucket shares shared packing row_packing waiting signs_of_life plain_commits quick"
    " counts earlier instance_claims owned_partitions outage outside_programs beside",
)
CONSUMER = _in(
    "core/consumer",
    "joining reconciling epochs guards moves static quiet recovery patterns mixed strangers"
    " one_batch client_assignors migration client_assignor_ends what_members_say sizes batching"
    " plugins wire_bytes machine migration_machine client_assignor_machine large_targets rounds"
    " drains",
)
ASSIGNORS = _in("core/consumer", "assignors")
DRAFT = _in("core/draft", "scenarios takeover machine strategies large_groups silence")
COMMANDED = _in("core/commanded", "scenarios takeover machine dealing")
PAUSE = _in("pause", "rules")
WALKS = _in("walks", "walks odd_rows facts rounds drains")
BEHIND_A_SERVER = (
    *_in("core", "vocabulary"),
    *_in("core/consumer", "client_reasons"),
    *_in("differential", "recorded"),
)
CLIENT = _in(
    "client_library",
    "epochs look_ups backoff deadlines assignors machines consumer_member classic_member"
    " draft_member commanded_member assigning codes sasl_exchanges",
)
GATE = _in("pause", "gate")
CLIENT_BEFORE_A_SERVER = _in("client_library", "callbacks protocols old_owners")
WIRE = _in(
    "wire", "uvarints declarations headers frames round_trips hostile_bytes oracles disposal kept"
)
STORE = _in(
    "store", "statements raised_epochs lives literals commands details load guard fence blame"
)
SIMULATION = _in("proof", "simulation")
COMMITS = _in(
    "node",
    "inbox committer repeated_commits refused_members toy_kind verbs outside hung_database",
)
MEMORY = _in(
    "node", "heartbeat_views overrides memory heartbeats shares assigning patterns failover"
)
SLOT_KEEPING = _in("node", "slot_keeper lease_patience spread memory slots drains shares timeline")


def _rules(folders: tuple[str, ...], *first: tuple[str, ...]) -> Row:
    """Folders of rules: their own tests, those of all other rules, and what Kafka answered."""
    every = (*WALKS, *CORE, *DRAFT, *COMMANDED, *PAUSE, *CONSUMER, *ASSIGNORS)
    tests = dict.fromkeys((*chain.from_iterable(first), *every))
    files = tuple(str(Path("groups/core", folder, "*.py")) for folder in folders)
    return Row("rules", files, tuple(tests), last=BEHIND_A_SERVER)


AREAS = (
    _rules(("classic",), CORE, CONSUMER),
    _rules(("draft",), DRAFT),
    _rules(("commanded",), COMMANDED, PAUSE),
    _rules(("assignors",), ASSIGNORS, CONSUMER),
    _rules(("consumer", "conversion"), CONSUMER, PAUSE),
    _rules(("", "configs"), CORE),
    Row("rules", ("console/foresight/*.py",), _in("foresight", "foresight java_sticky")),
    Row("rules", ("groups/core/acls/*.py",), _in("core", "acls")),
    Row("rules", ("groups/core/quotas/*.py",), _in("core", "quotas")),
    Row(
        "store",
        (
            *(
                "groups/store/apply.py",
                "groups/postgres/errors.py",
                "groups/store/load.py",
                "groups/postgres/array_literals.py",
            ),
            *("groups/store/records.py", "groups/store/blame.py", "groups/store/offsets.py"),
            *("groups/store/transactional_offsets.py", "groups/runtime/transactions.py"),
        ),
        (*STORE, *COMMITS, *_in("txn", "order endings deletions history")),
        has_database=True,
        last=_in("server", "long_offsets"),
    ),
    Row(
        "node",
        (
            "groups/runtime/committer.py",
            "groups/runtime/batch_writer.py",
            "groups/runtime/repeated_commits.py",
            "groups/runtime/retries.py",
        ),
        (*COMMITS, *MEMORY, *SIMULATION),
        has_database=True,
    ),
    Row(
        "node",
        (
            *(
                "groups/cluster/slot_keeper.py",
                "groups/cluster/slot_loader.py",
                "groups/cluster/slot_rows.py",
                "groups/cluster/lease.py",
                "groups/cluster/lease_loop.py",
                "groups/cluster/availability.py",
                "groups/cluster/lease_end.py",
                "groups/cluster/beats.py",
            ),
            *(
                "groups/cluster/failure_detector.py",
                "groups/cluster/restart_backoff.py",
                "groups/core/placement.py",
                "groups/core/backoff.py",
            ),
        ),
        (*SLOT_KEEPING, *SIMULATION),
        has_database=True,
    ),
    Row(
        "node",
        (
            *(
                "groups/runtime/runtime.py",
                "groups/runtime/loading.py",
                "groups/runtime/entries.py",
                "groups/runtime/heartbeat_views.py",
            ),
            *("groups/event_loop.py", "protocol/requests/turns.py"),
        ),
        (*MEMORY, *COMMITS, *_in("server", "turns"), *SIMULATION),
        has_database=True,
    ),
    Row("sweeps", ("groups/sweeps/unanswered_probes.py",), _in("sweeps", "silences")),
    Row(
        "sweeps",
        ("groups/sweeps/session.py", "groups/periodic.py", "groups/sweeps/schedule.py"),
        _in("sweeps", "session_sweep silences retention history schedule tasks"),
        has_database=True,
    ),
    Row(
        "fast path",
        ("protocol/fast_paths/heartbeat_fast_path.py", "protocol/fast_paths/short_frames.py"),
        _in("server", "fast_path"),
        has_database=True,
    ),
    Row(
        "fast path",
        ("protocol/fast_paths/heartbeat_hold.py",),
        _in("server", "held_heartbeats pace"),
        has_database=True,
    ),
    Row(
        "fast path",
        ("protocol/fast_paths/commit_fast_path.py",),
        (
            *_in("server", "commits fast_and_slow quotas order endings"),
            *_in("security", "authorization"),
        ),
        has_database=True,
    ),
    Row(
        "fast path",
        ("protocol/fast_paths/fetch_fast_path.py",),
        _in("server", "fast_fetches offset_reads quotas"),
        has_database=True,
    ),
    Row("wire", ("rollcall/wire/*.py",), WIRE),
    Row(
        "permissions",
        ("console/people/rights.py", "console/api/permissions.py", "console/api/authentication.py"),
        (*_in("site", "rights"), *_in("api", "access")),
        has_database=True,
    ),
    Row("client", ("rollcall/client/core/*.py",), (*CLIENT, *GATE), last=CLIENT_BEFORE_A_SERVER),
)


def files_of(checkout: Path, row: Row) -> Iterator[str]:
    """The row's files, each in one row only."""
    for pattern in row.files_mutated:
        for path in sorted(checkout.glob(pattern)):
            if path.stat().st_size > 0:
                yield str(path.relative_to(checkout))


def rows(checkout: Path) -> Mapping[str, Row]:
    """The row of each file."""
    return {path: row for row in AREAS for path in files_of(checkout, row)}
