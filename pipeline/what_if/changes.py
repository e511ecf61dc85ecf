"""Other settings: what a change does to the clients and the rules, and what cannot be answered."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Final

from groups.core.group import Rules
from pipeline.what_if import assignment, deploys
from pipeline.what_if.clients import Client, Run, Stop, clients_of
from pipeline.what_if.figures import Span
from pipeline.what_if.members import CLASSES
from pipeline.what_if.reactions import ENOUGH, heartbeat_ms
from pipeline.what_if.recording import Millis, Recording
from pipeline.what_if.replay import Plan

DAY_MS: Final = 86_400_000
MINUTE_MS: Final = 60_000

SESSIONS: Final = (6_000, 1_800_000)
"""What ``group.min.session.timeout.ms`` and ``group.max.session.timeout.ms`` allow by default: the
coordinator refuses members that ask for another one."""

MEMBERS_MAX: Final = 10_000
"""``group.max.size`` by default."""

BEATS_A_SESSION: Final = 2
"""A session in which fewer heartbeats arrive ends for members that are alive."""


@dataclass(frozen=True, slots=True)
class Change:
    """Settings that are other than they were; None, 0 and () leave what was. ``freezes``: minutes
    of each day (UTC), from and to. ``at_once``: clients that a deploy restarts at a time.
    ``no_short_pauses``: it is assumed that no member paused for less than its session timeout."""

    session_ms: Millis | None = None
    heartbeat_ms: Millis | None = None
    assignor: str | None = None
    static: bool = False
    protocol: str | None = None
    members: int = 0
    delay_ms: Millis | None = None
    freezes: tuple[tuple[int, int], ...] = ()
    at_once: int | None = None
    no_short_pauses: bool = False

    def text(self) -> str:
        """As a person would say it."""
        said = [word for says in SAYS if (word := says(self))]
        return ", ".join(said) or "as it was"


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


SAYS: Final[Sequence[Callable[[Change], str]]] = (
    lambda c: f"session timeout {c.session_ms} ms" if c.session_ms is not None else "",
    lambda c: f"heartbeat interval {c.heartbeat_ms} ms" if c.heartbeat_ms is not None else "",
    lambda c: f"assignor {c.assignor}" if c.assignor else "",
    lambda c: "static ids" if c.static else "",
    lambda c: f"{c.protocol} protocol" if c.protocol else "",
    lambda c: f"{c.members:+} members" if c.members else "",
    lambda c: f"initial rebalance delay {c.delay_ms} ms" if c.delay_ms is not None else "",
    lambda c: " ".join(f"frozen {_clock(a)}-{_clock(b)}" for a, b in c.freezes),
    lambda c: f"deploys restart {c.at_once} at once" if c.at_once is not None else "",
    lambda c: "no short pauses" if c.no_short_pauses else "",
)


def refusal(recording: Recording, change: Change) -> str:
    """Why this cannot be answered from what was recorded, in a sentence; "" if it can."""
    return next((why for ask in REFUSALS if (why := ask(recording, change))), "")


def _nothing(recording: Recording, change: Change) -> str:
    return "" if recording.lives else "No life of a member was recorded."


def _kinds(recording: Recording, change: Change) -> str:
    if odd := recording.kinds - CLASSES.keys():
        return f"Members of the kind {min(odd)} are not replayed."
    if len(recording.kinds) > 1:
        return "Members spoke both protocols: the group was migrated in this time."
    return ""


def _opaque(recording: Recording, change: Change) -> str:
    unread = next((life for life in recording.lives if life.topics is None), None)
    if unread is not None:
        return f"The subscription of {unread.member_id} could not be read."
    if not recording.intervals:
        return "No ownership was recorded: nobody owned a partition, or assignments are opaque."
    return ""


def _assignors(recording: Recording, change: Change) -> str:
    kind = change.protocol or min(recording.kinds)
    known: Iterable[str] = assignment.LEADERS if kind == "classic" else assignment.SERVER_SIDE
    if change.assignor is not None and change.assignor not in known:
        return f"{change.assignor} is no assignor of the {kind} protocol: {', '.join(known)}."
    is_replaced = change.protocol is not None or change.assignor is not None
    for life in () if is_replaced else recording.lives:
        if odd := [name for name in life.protocols if name not in known]:
            return f"The assignor {odd[0]} is not known: what it would assign neither."
    return ""


def _session(recording: Recording, change: Change) -> str:
    wanted = change.session_ms
    if wanted is None:
        return ""
    least, most = SESSIONS
    if not least <= wanted <= most:
        return f"A coordinator accepts session timeouts from {least} to {most} ms."
    recorded = max(life.session_ms for life in recording.lives)
    if wanted < recorded and not change.no_short_pauses:
        return (
            f"Pauses shorter than the session timeout of {recorded} ms were not recorded, so it is"
            f" not known whom {wanted} ms would remove. (--no-short-pauses: assume nobody.)"
        )
    return ""


def _heartbeats(recording: Recording, change: Change) -> str:
    if change.heartbeat_ms is None:
        return ""
    session = change.session_ms or min(life.session_ms for life in recording.lives)
    if change.heartbeat_ms * BEATS_A_SESSION > session:
        return f"Two heartbeats do not fit into the session timeout of {session} ms."
    if "classic" in recording.kinds and not heartbeat_ms(recording):
        return f"Fewer than {ENOUGH} waits were recorded: the heartbeat interval is not known."
    return ""


def _protocol(recording: Recording, change: Change) -> str:
    if change.protocol == "classic" and "consumer" in recording.kinds:
        return "Only the change from the classic to the consumer protocol is replayed."
    return ""


def _members(recording: Recording, change: Change) -> str:
    if not -MEMBERS_MAX <= change.members <= MEMBERS_MAX:
        return f"A group has at most {MEMBERS_MAX} members."
    if change.members >= 0:
        return ""
    clients, _ = clients_of(recording)
    usual = round(_ran(clients) / max(1, _lasted(clients)))
    return f"The group had about {usual} members." if -change.members >= usual else ""


REFUSALS: Final[Sequence[Callable[[Recording, Change], str]]] = (
    _nothing,
    _kinds,
    _opaque,
    _assignors,
    _protocol,
    _session,
    _heartbeats,
    _members,
)


def planned(recording: Recording, clients: Sequence[Client], rules: Rules, change: Change) -> Plan:
    """The clients and rules after the change."""
    rules = _rules(_as_recorded(recording, rules), change)
    made = [_client(client, change) for client in _counted(clients, change.members)]
    if change.at_once is not None:
        made = deploys.replanned(made, change.at_once)
    pace = 1.0
    if change.heartbeat_ms is not None:
        usual = rules.group_consumer_heartbeat_interval_ms
        known = usual if "consumer" in recording.kinds else heartbeat_ms(recording) or usual
        pace = change.heartbeat_ms / known
        rules = replace(rules, group_consumer_heartbeat_interval_ms=change.heartbeat_ms)
    return Plan(made, rules, tuple(frozen(recording, change.freezes)), pace)


def unchanged(
    recording: Recording, clients: Sequence[Client], rules: Rules, *, are_drawn: bool = False
) -> Plan:
    """The clients as they were."""
    return Plan(clients, _as_recorded(recording, rules), are_drawn=are_drawn)


def _as_recorded(recording: Recording, rules: Rules) -> Rules:
    """What let the recorded members in lets them in again. The coordinator sets the session timeout
    of the consumer protocol: that of the last life."""
    sessions = [life.session_ms for life in recording.lives]
    theirs = [life for life in recording.lives if life.kind == "consumer"]
    last = max(theirs, key=lambda life: life.joined, default=None)
    usual = rules.group_consumer_session_timeout_ms if last is None else last.session_ms
    return replace(
        rules,
        group_consumer_session_timeout_ms=usual,
        group_min_session_timeout_ms=min(*sessions, rules.group_min_session_timeout_ms),
        group_max_session_timeout_ms=max(*sessions, rules.group_max_session_timeout_ms),
        group_max_size=max(MEMBERS_MAX, len(sessions), rules.group_max_size),
        group_consumer_max_size=max(MEMBERS_MAX, len(sessions), rules.group_consumer_max_size),
    )


def _rules(rules: Rules, change: Change) -> Rules:
    said: Mapping[str, Millis | None] = {
        "group_initial_rebalance_delay_ms": change.delay_ms,
        "group_consumer_session_timeout_ms": change.session_ms,
    }
    return replace(rules, **{name: ms for name, ms in said.items() if ms is not None})  # type: ignore[arg-type]


def _client(client: Client, change: Change) -> Client:
    life = client.life
    protocols = life.protocols
    if change.protocol is not None and change.protocol != life.kind:
        protocols = ()
        life = life._replace(kind=change.protocol)
    if change.assignor is not None:
        protocols = (change.assignor,)
    life = life._replace(protocols=protocols, session_ms=change.session_ms or life.session_ms)
    runs = client.runs
    if change.static and life.instance_id is None:
        life = life._replace(instance_id=client.name)
        runs = tuple(map(_kept, runs))
    return replace(client, life=life, runs=runs)


def _kept(run: Run) -> Run:
    """A member with an instance id does not leave when its process ends."""
    return replace(run, stop=Stop.PAUSES) if run.stop is Stop.LEAVES else run


def _counted(clients: Sequence[Client], more: int) -> Sequence[Client]:
    """So many members more or fewer at a time. Further clients do what recorded ones did, those
    that ran longest first; of fewer these are left out."""
    if more >= 0:
        return [*clients, *(_another(client, n) for n, client in enumerate(_worth(clients, more)))]
    gone = {client.name for client in _worth(clients, -more)}
    return [client for client in clients if client.name not in gone]


def _worth(clients: Sequence[Client], members: int) -> Iterator[Client]:
    """Clients, some of them repeatedly, that together ran for as long as so many members."""
    wanted = members * _lasted(clients)
    for client in cycle(sorted(clients, key=lambda one: (-_ran([one]), one.name))):
        if wanted <= 0:
            break
        wanted -= max(1, _ran([client]))
        yield client


def _ran(clients: Iterable[Client]) -> Millis:
    return sum(until - since for client in clients for since, until in client.spans)


def _lasted(clients: Iterable[Client]) -> Millis:
    """From the first client's start to the last one's end."""
    spans = [span for client in clients for span in client.spans]
    return max(until for _, until in spans) - min(since for since, _ in spans) if spans else 0


def _another(client: Client, number: int) -> Client:
    name = f"{client.name}+{number}"
    instance = client.life.instance_id and f"{client.life.instance_id}+{number}"
    life = client.life._replace(instance_id=instance, client_id=f"{client.life.client_id}+{number}")
    return replace(client, name=name, life=life, ids=())


def frozen(recording: Recording, freezes: Iterable[tuple[int, int]]) -> Iterable[Span]:
    """These minutes of every day of the recording."""
    first = recording.begin // DAY_MS * DAY_MS - DAY_MS
    for since, until in freezes:
        for day in range(first, recording.end, DAY_MS):
            later = until if until > since else until + DAY_MS // MINUTE_MS
            span = (day + since * MINUTE_MS, day + later * MINUTE_MS)
            if span[1] > recording.begin and span[0] < recording.end:
                yield span
