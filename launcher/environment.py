"""What the launcher reads from its environment: the ``ROLLCALL_*`` variables, checked.

Kafka-named settings are not here (``coordinator_site.kafka_settings``), and neither is
anything that starts a process.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from coordinator_site import secret_files
from launcher.errors import LaunchError

CHECKOUT = Path(__file__).resolve().parents[1]
"""The folder of manage.py: the processes' working folder, which has ``.data`` by default."""

LOOPBACK = "127.0.0.1"
PORT_MAX = 65_535
NODES_MAX = 64
"""One node per slot is the most that can have work (docs/architecture.md, *Slots*)."""

PROCESSES = ("node", "web", "worker", "beat")
"""What a host may run (``launcher.commands``)."""

TLS_OF_THE_WEB = "ROLLCALL_WEB_TLS"

VARIABLES: Mapping[str, str] = {
    "ROLLCALL_DATA_DIR": "the data directory (.data)",
    "ROLLCALL_DATABASE_URL": "a PostgreSQL that several hosts share, instead of an embedded one",
    "ROLLCALL_PROCESSES": "what this host runs (node,web,worker,beat)",
    "ROLLCALL_NODES": "its coordinator nodes (1)",
    "ROLLCALL_HOST": "the address of the Kafka and the draft port (127.0.0.1)",
    "ROLLCALL_ADVERTISED_HOST": "what clients are told instead of it",
    "ROLLCALL_LISTENERS": "listeners with TLS and accounts, instead of the Kafka port",
    "ROLLCALL_ADVERTISED_LISTENERS": "what clients of each listener are told",
    "ROLLCALL_KAFKA_PORT": "the Kafka port (9092; further nodes one more each; 0: any free one)",
    "ROLLCALL_DRAFT_PORT": "the port of the 0.9 draft (9392; the same)",
    "ROLLCALL_WEB_HOST": "the address of the web (127.0.0.1)",
    "ROLLCALL_WEB_PORT": "the web port (8000; 0: any free one)",
}
"""What ``--help`` shows: the variables of a host."""

UNSAFE = "ROLLCALL_DATABASE_MAY_BE_UNSAFE"
"""``on``: the nodes accept a server without ``fsync``, and the launcher's own is one. For tests."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Where data is stored, and the numbers and ports of what listens. Port 0 means: a free one."""

    data_dir: Path
    kafka_port: int
    draft_port: int
    web_port: int
    nodes: int
    database_url: str | None
    host: str = LOOPBACK
    """The address of the Kafka and the draft port."""
    advertised_host: str = ""
    """What clients are told instead of it."""
    web_host: str = LOOPBACK
    processes: tuple[str, ...] = PROCESSES
    data_are_disposable: bool = False
    """The database that is served here need not survive a crash of the machine."""


def read(environ: Mapping[str, str]) -> Environment:
    """Read the environment; raise ``LaunchError`` naming the variable that is wrong."""
    try:
        environ = secret_files.read(environ)
    except secret_files.SecretError as refusal:
        raise LaunchError(str(refusal)) from None
    nodes = whole_number(environ, "ROLLCALL_NODES", 1, least=1, most=NODES_MAX)
    return Environment(
        data_dir=Path(environ.get("ROLLCALL_DATA_DIR") or CHECKOUT / ".data").absolute(),
        kafka_port=whole_number(environ, "ROLLCALL_KAFKA_PORT", 9092, most=PORT_MAX - nodes + 1),
        draft_port=whole_number(environ, "ROLLCALL_DRAFT_PORT", 9392, most=PORT_MAX - nodes + 1),
        web_port=whole_number(environ, "ROLLCALL_WEB_PORT", 8000, most=PORT_MAX),
        nodes=nodes,
        database_url=environ.get("ROLLCALL_DATABASE_URL") or None,
        host=environ.get("ROLLCALL_HOST") or LOOPBACK,
        advertised_host=environ.get("ROLLCALL_ADVERTISED_HOST") or "",
        web_host=web_host(environ),
        processes=processes(environ.get("ROLLCALL_PROCESSES") or ",".join(PROCESSES)),
        data_are_disposable=environ.get(UNSAFE, "").lower() == "on",
    )


def whole_number(
    environ: Mapping[str, str], name: str, default: int, *, least: int = 0, most: int
) -> int:
    """The variable's value as a number between ``least`` and ``most``, both included."""
    text = environ.get(name) or str(default)
    try:
        number = int(text)
    except ValueError:
        raise LaunchError(f"{name} must be a whole number, not {text!r}.") from None
    if not least <= number <= most:
        raise LaunchError(f"{name} must be between {least} and {most}, not {number}.")
    return number


def processes(text: str) -> tuple[str, ...]:
    """Which of ``PROCESSES`` this host runs."""
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in PROCESSES]
    if unknown or not wanted:
        raise LaunchError(f"ROLLCALL_PROCESSES is a list of {', '.join(PROCESSES)}, not {text!r}.")
    return tuple(name for name in PROCESSES if name in wanted)


def web_host(environ: Mapping[str, str]) -> str:
    """The address of the web. It speaks no TLS itself, so passwords would cross a network as they
    are."""
    host = environ.get("ROLLCALL_WEB_HOST") or LOOPBACK
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError:
        raise LaunchError(f"ROLLCALL_WEB_HOST must be an IP address, not {host!r}.") from None
    if not is_loopback and environ.get(TLS_OF_THE_WEB, "").lower() != "true":
        raise LaunchError(
            f"ROLLCALL_WEB_HOST ({host}) is not a loopback address, and the web speaks no TLS"
            f" itself: put a proxy with TLS in front of it, and set {TLS_OF_THE_WEB}=true and"
            " ROLLCALL_WEB_PROXIES to the addresses of the proxy."
        )
    return host
