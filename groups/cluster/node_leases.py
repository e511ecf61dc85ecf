"""The node ids of a host: leased from the database, and kept by the host's data directory.

A host is a data directory: its file ``node-ids`` has the host's number, how often it has started,
and its ids. A restart finds the same ids. Of two copies of a directory the first one that starts
keeps them: it raises the number of starts in the file and in the database, and the other copy is
refused, now by the ids that are in use, and later by its lower number.

Set-up does this, with the user of the URL (``manage.py setup --nodes``).
"""

import json
import os
import secrets
import socket
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

from django.db import connection

from groups.postgres.django_connection import rows
from groups.store.sql import node_leases as sql

FILE = "node-ids"
PRIVATE = 0o600


class Refused(Exception):
    """This data directory may have no node ids; the text says why."""


class InUse(Refused):
    """Processes serve as the nodes of this data directory: perhaps those of its last start, which
    end."""


@dataclass(frozen=True, slots=True)
class Host:
    """What the file says. ``node_ids`` are in the order of the host's nodes."""

    host: str
    starts: int = 0
    node_ids: tuple[int, ...] = ()


def lease(folder: Path, nodes: int) -> tuple[int, ...]:
    """The ids of so many nodes of this host, which other hosts do not get from now on. To be called
    while set-up's lock is held. Raises ``Refused``."""
    host = read(folder)
    leased = {
        place: (node_id, starts) for node_id, place, starts in rows(sql.LEASED, host=host.host)
    }
    _check(folder, host, [starts for _, starts in leased.values()])
    own = [node_id for node_id, _ in leased.values()]
    if served := sorted(set(own) & _ids(sql.SERVED)):
        raise InUse(
            f"Node {served[0]}, of the data directory {folder}, is served by another process. Stop"
            f" it. If {folder} is a copy of another host's, delete {folder / FILE}: then this host"
            " gets node ids of its own."
        )
    kept = tuple(leased[place][0] for place in range(nodes) if place in leased)
    ids = chosen(kept, host.node_ids, _ids(sql.TAKEN), nodes) if len(kept) < nodes else kept
    host = replace(host, starts=host.starts + 1, node_ids=ids)
    write(folder, host)  # first: a start that ends here has only counted itself
    _note(host)
    return ids


def chosen(
    kept: Sequence[int], remembered: Sequence[int], taken: Collection[int], nodes: int
) -> tuple[int, ...]:
    """The ids of a host: those that it has, then those that it had (the database may have been
    restored) and nobody has taken, then the lowest free ones."""
    found, count = list(kept), 0
    for place in range(len(kept), nodes):
        before = remembered[place] if place < len(remembered) else None
        if before is not None and before not in taken and before not in found:
            found.append(before)
            continue
        while count in taken or count in found or count in remembered:
            count += 1
        found.append(count)
    return tuple(found)


def read(folder: Path) -> Host:
    """The host of this data directory; a new one if it has no file. Raises ``Refused`` for a file
    that nobody wrote like this."""
    file = folder / FILE
    try:
        found = json.loads(file.read_text())
        return Host(
            str(UUID(found["host"])), int(found["starts"]), tuple(map(int, found["node_ids"]))
        )
    except FileNotFoundError:
        return Host(str(uuid4()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused(f"{file} cannot be read ({error!r}). Restore it, or delete it.") from None


def write(folder: Path, host: Host) -> None:
    """Write the file; it appears completely or not at all."""
    part = folder / f"{FILE}.{secrets.token_hex(4)}"
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w") as opened:
            opened.write(json.dumps(asdict(host)) + "\n")
            opened.flush()
            os.fsync(opened.fileno())
        part.replace(folder / FILE)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Refused(f"{folder / FILE} cannot be written: {error.strerror}.") from None


def _check(folder: Path, host: Host, starts: Sequence[int]) -> None:
    """A directory that knows of fewer starts than the database is an older copy."""
    if starts and max(starts) > host.starts:
        raise Refused(
            f"The data directory {folder} is a copy of another host's, or was restored from a"
            f" backup: that host has started since. Delete {folder / FILE}: then this host gets"
            " node ids of its own."
        )


def _note(host: Host) -> None:
    hostname = socket.gethostname()
    with connection.cursor() as cursor:
        for place, node_id in enumerate(host.node_ids):
            cursor.execute(
                sql.LEASE,
                {
                    "node_id": node_id,
                    "host": host.host,
                    "place": place,
                    "starts": host.starts,
                    "hostname": hostname,
                },
            )


def _ids(statement: str) -> set[int]:
    return {node_id for (node_id,) in rows(statement)}
