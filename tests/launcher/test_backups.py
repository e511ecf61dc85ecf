"""``rollcall-server backup`` and ``restore``: what comes back, and that no number is issued
twice."""

import asyncio
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from launcher import backups, environment, postgres
from launcher.errors import LaunchError
from launcher.installation import CHECKOUT, Installation
from launcher.output import Output
from rollcall.client import Member

NUMBERS = """
SELECT generations_after, (SELECT max(epoch) FROM rollcall_slot),
       (SELECT max(id) FROM rollcall_journal), (SELECT max(revision) FROM rollcall_group),
       (SELECT max(generation) FROM rollcall_group)
FROM rollcall_timeline
"""
TOPICS = "SELECT array_agg(name ORDER BY name) FROM rollcall_topic"
REASON = "SELECT reason FROM rollcall_journal WHERE kind = 'time-went-back' ORDER BY id DESC"


def server(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """``rollcall-server``, from another folder."""
    given = {"ROLLCALL_DATA_DIR": str(folder), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [CHECKOUT / "rollcall-server", *words],
        cwd=folder,
        env=given,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


def ask(folder: Path, statement: str) -> tuple[Any, ...]:
    """A row of an installation that does not run."""
    with postgres.serve(folder) as url, psycopg.connect(url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row


def topic(running: Installation, name: str) -> None:
    admin = AdminClient({"bootstrap.servers": running.kafka})
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)


async def join(running: Installation) -> None:
    """A member that gets its partition, and leaves."""
    async with Member(running.kafka, "packers", ["before"]) as member:
        async for change in member:
            if change.partitions:
                return


@pytest.mark.long
@pytest.mark.timeout(400)
def test_a_restored_installation_has_what_was_saved_and_issues_no_number_twice(
    folder: Path,
) -> None:
    with Installation(data_dir=folder) as running:
        topic(running, "before")
        asyncio.run(join(running))
        assert server(folder, "backup", "saved").returncode == 0
        again = server(folder, "backup", "saved")
        assert again.returncode == 1 and "exists: name a new file" in again.stderr
        topic(running, "after")
        for _ in range(3):
            asyncio.run(join(running))
        refused = server(folder, "restore", "saved")
        assert refused.returncode == 1 and "uses the data directory" in refused.stderr
    assert (folder / "saved").stat().st_mode & 0o777 == 0o600
    lost = ask(folder, NUMBERS)

    whole = (folder / "saved").read_bytes()
    odd = whole[:1_000] + bytes(1_000) + whole[2_000 : -backups.SEAL_BYTES]
    sealed = odd + backups._seal(sha256(odd).hexdigest())  # only pg_restore can tell
    for damaged, sentence in ((whole[:-3_000], "is damaged"), (sealed, "pg_restore: ")):
        (folder / "damaged").write_bytes(damaged)
        refused = server(folder, "restore", "damaged")
        assert refused.returncode == 1 and sentence in refused.stderr
        assert "Traceback" not in refused.stderr
        assert ask(folder, TOPICS) == (["after", "before"],) and ask(folder, NUMBERS) == lost

    for _ in range(2):  # the same file again: what was issued in between is not issued either
        done = server(folder, "restore", "saved")
        assert done.returncode == 0, done.stderr
        assert ask(folder, TOPICS) == (["before"],)
        assert ask(folder, REASON) == ("restored saved",)
        found = ask(folder, NUMBERS)
        assert all(new > old for new, old in zip(found, lost, strict=True)), (found, lost)
        lost = found

    with Installation(data_dir=folder) as running:
        asyncio.run(join(running))


def test_a_database_elsewhere_is_not_replaced(tmp_path: Path) -> None:
    url = "postgresql://127.0.0.1:1/none"
    configured = environment.read({"ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATA_DIR": "none"})
    with pytest.raises(LaunchError, match="restore that PostgreSQL with its own tools"):
        backups.restore(configured, tmp_path / "saved", Output())


@pytest.mark.parametrize(
    ("present", "restored", "times"),
    [(0, 0, 1), (3_000_000, 0, 4), (0, 3_000_000, 1), (2_000_000, 1_000_000, 2)],
)
def test_numbers_are_raised_as_often_as_since_the_dump(
    present: int, restored: int, times: int
) -> None:
    assert backups._times(present, restored) == times


@pytest.mark.parametrize("text", [b"", b"short", b"PGDMP" + bytes(500)])
def test_a_file_that_is_no_backup_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "file").write_bytes(text)
    with pytest.raises(LaunchError, match=r"is damaged|cannot be read"):
        backups.check(tmp_path / "file")
