"""``python -m launcher.program NAME``, as a container starts it, over a real database."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from launcher import commands, ports
from tests.docker.files import CHECKOUT, FOLDER
from tests.launcher.waiting import until

ROLLCALL = (sys.executable, "-m", "launcher.program")
STOP_S = 15
"""As long as compose gives a process."""


@pytest.fixture
def empty_database(database_url: str) -> Iterator[str]:
    """The URL of a database without tables."""
    name = f"docker_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(database_url, autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield urlsplit(database_url)._replace(path=f"/{name}").geturl()
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def environ(url: str, folder: Path) -> dict[str, str]:
    """A container's environment: no more than it is given."""
    own = {"ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATA_DIR": str(folder)}
    return {"PATH": os.environ["PATH"], **own}


def installed(url: str, folder: Path) -> list[str]:
    """Every task run once over a database; what each said."""
    return [
        subprocess.run(
            [*ROLLCALL, task],
            cwd=CHECKOUT,
            env=environ(url, folder),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        for task in commands.TASKS
    ]


@pytest.mark.long
def test_the_tasks_set_up_an_empty_database_and_are_idempotent(
    empty_database: str, tmp_path: Path
) -> None:
    said = installed(empty_database, tmp_path)

    assert any("first admin user: admin, password in " in text for text in said)
    with psycopg.connect(empty_database) as database:
        for table in ("rollcall_group", "auth_user", "django_celery_beat_periodictask"):
            count = database.execute(
                sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
            ).fetchone()
            assert count is not None and (count[0] > 0) is (table != "rollcall_group"), table

    before = contents(empty_database)
    assert installed(empty_database, tmp_path) == [""]
    assert contents(empty_database) == before


ODD = {
    "search_path": "elsewhere",
    "datestyle": "German",
    "array_nulls": "off",
    "standard_conforming_strings": "off",
    "default_transaction_isolation": "serializable",
}
WHERE = "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename ~ '^(rollcall|auth|django)_'"


@pytest.mark.long
def test_database_defaults_of_an_administrator_do_not_change_an_installation(
    empty_database: str, tmp_path: Path
) -> None:
    with psycopg.connect(empty_database, autocommit=True) as database:
        database.execute("CREATE SCHEMA elsewhere")
        for name, value in ODD.items():
            change = sql.SQL("ALTER DATABASE {} SET {} = {}")
            named = sql.Identifier(database.info.dbname), sql.Identifier(name)
            database.execute(change.format(*named, value))
    installed(empty_database, tmp_path)
    with psycopg.connect(empty_database) as database:
        assert database.execute(WHERE).fetchall() == [("public",)]


@pytest.mark.long
def test_concurrent_set_ups_run_one_after_another(empty_database: str, tmp_path: Path) -> None:
    setups = [
        subprocess.Popen(
            [*ROLLCALL, "setup"],
            cwd=CHECKOUT,
            env=environ(empty_database, tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    said = "".join(setup.communicate(timeout=100)[0] for setup in setups)

    assert [setup.returncode for setup in setups] == [0, 0], said
    assert said.count("first admin user: ") == 1


def contents(url: str) -> list[Any]:
    """The rows' versions of what a set-up makes: migrations, users, schedule, queue, triggers."""
    tables = ("django_migrations", "auth_user", "django_celery_beat_periodictask", "pgmq.meta")
    with psycopg.connect(url) as database:
        return [
            database.execute(
                sql.SQL("SELECT xmin::text, t.* FROM {} t ORDER BY 2").format(
                    sql.Identifier(*table.split("."))
                )
            ).fetchall()
            for table in (*tables, "pg_trigger")
        ]


@pytest.mark.long
def test_a_node_answers_the_health_check_and_stops_on_sigterm(
    database_url: str, tmp_path: Path
) -> None:
    [port] = ports.free(1)
    node = subprocess.Popen(
        [*ROLLCALL, "node", "--node-id=41", f"--port={port}"],
        cwd=tmp_path,  # it finds its own folder
        env=environ(database_url, tmp_path)
        | {"PYTHONPATH": str(CHECKOUT), "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on"},
    )
    try:
        until(lambda: health("kafka", str(port)) == 0, "the node serves")
        node.send_signal(signal.SIGTERM)
        assert node.wait(STOP_S) == 0
        assert health("kafka", str(port)) == 1
    finally:
        node.kill()
        node.wait()
        with psycopg.connect(database_url) as database:
            database.execute("DELETE FROM rollcall_node WHERE node_id = 41")


@pytest.mark.parametrize("trouble", ["away", pytest.param("read-only", marks=pytest.mark.long)])
def test_a_node_that_starts_without_its_database_prints_one_line(
    trouble: str, empty_database: str, tmp_path: Path
) -> None:
    """It ends, and its supervisor restarts it."""
    url = urlsplit(empty_database)
    if trouble == "read-only":
        installed(empty_database, tmp_path)
        with psycopg.connect(empty_database, autocommit=True) as database:
            name = sql.Identifier(url.path.removeprefix("/"))
            database.execute(
                sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = on").format(name)
            )
    else:
        empty_database = url._replace(netloc=f"{url.username}@127.0.0.1:1").geturl()
    node = subprocess.run(
        [*ROLLCALL, "node", "--node-id=42", "--port=0"],
        cwd=CHECKOUT,
        env=environ(empty_database, tmp_path) | {"ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert node.returncode == 1
    assert "the node ended: " in node.stderr and "Traceback" not in node.stderr


@pytest.mark.long
def test_the_web_process_answers_the_health_check(database_url: str, tmp_path: Path) -> None:
    [port] = map(str, ports.free(1))
    web = subprocess.Popen(
        [*ROLLCALL, "web", "-b", "127.0.0.1", "-p", port],
        cwd=CHECKOUT,
        env=environ(database_url, tmp_path),
    )
    try:
        assert health("web", port) == 1
        until(lambda: health("web", port) == 0, "the web serves")
    finally:
        web.terminate()
        web.wait(STOP_S)
    assert health("web", port) == 1


def test_a_process_without_a_port_is_healthy_once_it_reports_ready(tmp_path: Path) -> None:
    file = tmp_path / "ready"
    assert health("ready", ready=file) == 1
    file.write_text("ready\n")
    assert health("ready", ready=file) == 0


def test_an_unknown_program_is_refused_with_the_list_of_programs() -> None:
    run = subprocess.run(
        [*ROLLCALL, "nodes"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )

    assert run.returncode == 2
    assert all(f"  {name} " in run.stderr for name in commands.PROGRAMS)


def health(*arguments: str, ready: Path | None = None) -> int:
    """The exit status of a container's health check."""
    check = (sys.executable, str(FOLDER / "healthcheck.py"), *arguments)
    own = {"ROLLCALL_READY_FILE": str(ready)} if ready else {}
    return subprocess.run(check, env={**os.environ, **own}, check=False).returncode
