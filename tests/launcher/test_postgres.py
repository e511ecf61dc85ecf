"""The embedded PostgreSQL, started for real: what it keeps, whom it refuses, how it ends."""

import os
import shutil
import signal
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from launcher import binaries, cluster, postgres, stale_processes
from launcher import data_dir as places
from launcher.errors import LaunchError
from launcher.installation import Installation
from launcher.output import Output
from launcher.signals import Signals
from launcher.supervisor import Supervisor
from tests.launcher.conftest import Launch, data_folder
from tests.launcher.waiting import is_running, until

SERVER_ALONE = """
import signal, sys
from pathlib import Path
from launcher import postgres
with postgres.serve(Path(sys.argv[1])) as url:
    print(url, flush=True)
    signal.pause()
"""

pytestmark = pytest.mark.xdist_group("postgres")  # one server for all that only read it

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="about what root must do")


def ask(url: str, query: str) -> str:
    """The single value that a query returns, as text."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return str(row[0])


def tell(url: str, statement: str) -> None:
    """Execute a statement that returns nothing."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def server_pid(folder: Path) -> int:
    """The pid of the folder's server."""
    pid = stale_processes.recorded_pid((folder / "postgres").resolve() / "data")
    assert pid is not None
    return pid


@pytest.mark.long
def test_rows_and_port_survive_a_restart(folder: Path) -> None:
    with postgres.serve(folder) as first:
        tell(first, "CREATE TABLE kept AS SELECT 7 AS number")

    with postgres.serve(folder) as second:
        assert ask(second, "SELECT number FROM kept") == "7"
    assert second == first


@pytest.mark.long
def test_data_served_without_fsync_are_synced_once_and_then_served_safely(
    folder: Path,
) -> None:
    unsynced = folder / "postgres" / cluster.UNSYNCED
    with postgres.serve(folder, throwaway=True) as url:
        tell(url, "CREATE TABLE kept AS SELECT 7 AS number")
        assert unsynced.exists()
    with pytest.raises(LaunchError, match="could not sync"):  # it is initdb that does it
        cluster.sync(folder / "nothing", binaries.locate(folder / "postgres", None), None)
    with postgres.serve(folder) as url:
        assert not unsynced.exists()
        assert [ask(url, f"SHOW {name}") for name in ("fsync", "full_page_writes")] == ["on", "on"]
        assert ask(url, "SHOW scram_iterations") == "4096"
        assert ask(url, "SELECT number FROM kept") == "7"


@pytest.mark.parametrize(
    ("system", "release", "method"),
    [
        ("Linux", "6.8.0-45-generic", "syncfs"),
        ("Linux", "5.8", "syncfs"),
        ("Linux", "5.4.0-200-generic", "fsync"),
        ("Linux", "4.18.0-553.el8.x86_64", "fsync"),
        ("Darwin", "23.6.0", "fsync"),
    ],
)
def test_new_cluster_is_on_disk_by_a_call_that_tells_of_errors(
    system: str, release: str, method: str
) -> None:
    assert cluster.sync_method(os.uname_result((system, "host", release, "#1", "x86"))) == method


@pytest.mark.long
def test_new_port_is_chosen_when_the_stored_one_is_in_use(folder: Path) -> None:
    with postgres.serve(folder, throwaway=True) as first:
        pass
    with socket.socket() as taker:
        taker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taker.bind(("127.0.0.1", int(first.rsplit(":", 1)[1].split("/")[0])))
        taker.listen()

        with postgres.serve(folder, throwaway=True) as second:
            assert ask(second, "SELECT 1") == "1"

    assert second != first


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Path, str]]:
    """The folder and the URL of a server that tests only read."""
    with data_folder() as folder, postgres.serve(folder) as url:
        yield folder, url


def test_server_is_version_18_and_safe(served: tuple[Path, str]) -> None:
    _, url = served
    wanted = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
    assert ask(url, "SHOW server_version").startswith("18")
    assert {name: ask(url, f"SHOW {name}") for name in wanted} == wanted
    assert ask(url, "SHOW data_checksums") == "on"


def test_server_of_disposable_data_runs_without_fsync(installation: Installation) -> None:
    url = (installation.data_dir / "database-url").read_text().strip()
    assert (ask(url, "SHOW fsync"), ask(url, "SHOW full_page_writes")) == ("off", "off")


def test_server_listens_on_loopback_only_and_has_no_socket_file(served: tuple[Path, str]) -> None:
    _, url = served
    assert ask(url, "SHOW listen_addresses") == "127.0.0.1"
    assert ask(url, "SHOW unix_socket_directories") == ""


def test_wrong_password_is_refused_and_the_right_one_stored_as_scram(
    served: tuple[Path, str],
) -> None:
    folder, url = served
    password = (folder / "postgres-password").read_text().strip()

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(url.replace(password, "guess"))

    stored = ask(url, "SELECT rolpassword FROM pg_authid WHERE rolname = 'rollcall'")
    assert stored.startswith("SCRAM-SHA-256$")
    rules = "SELECT string_agg(DISTINCT auth_method, ' ') FROM pg_hba_file_rules"
    assert ask(url, rules) == "scram-sha-256"


def test_password_is_readable_by_its_owner_only(served: tuple[Path, str]) -> None:
    folder, _ = served
    mode = (folder / "postgres-password").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert not (folder / "postgres" / "initial-password").exists()


@root_only
def test_server_does_not_run_as_root(served: tuple[Path, str]) -> None:
    folder, _ = served
    status = Path(f"/proc/{server_pid(folder)}/status").read_text()
    data = (folder / "postgres" / "data").stat()

    users = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1:]
    assert set(users) == {str(data.st_uid)}
    assert data.st_uid != 0


@pytest.mark.long
@root_only
def test_private_folder_is_served_as_root(folder: Path) -> None:
    """As a checkout below /root is."""
    folder.chmod(0o700)
    data_dir = folder / "data"
    try:
        with postgres.serve(data_dir, throwaway=True) as first:
            tell(first, "CREATE TABLE kept AS SELECT 7 AS number")
        with postgres.serve(data_dir, throwaway=True) as second:
            assert ask(second, "SELECT number FROM kept") == "7"
        assert (data_dir / "postgres").is_symlink()
    finally:
        shutil.rmtree((data_dir / "postgres").resolve())


@pytest.mark.long
@root_only
def test_private_programs_are_copied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a virtualenv below /root is."""
    packages = folder / "packages"
    for name in binaries.PARTS:
        if (binaries.site_packages() / name).exists():
            shutil.copytree(binaries.site_packages() / name, packages / name)
    packages.chmod(0o700)
    monkeypatch.setattr(binaries, "site_packages", lambda: packages)

    with postgres.serve(folder / "data", throwaway=True) as url:
        assert ask(url, "SELECT 1") == "1"

    assert list((folder / "data" / "postgres").glob("software-*"))


def test_second_launcher_is_refused_and_leaves_the_first_alone(
    served: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, url = served
    monkeypatch.setattr(places, "LOCK_WAIT_S", 0.2)
    with pytest.raises(LaunchError, match=rf"Another Rollcall \(pid {os.getpid()}\) uses"):
        cluster.prepare(folder)
    assert ask(url, "SELECT 1") == "1"


@pytest.mark.long
def test_folder_of_another_major_version_is_refused(folder: Path) -> None:
    with postgres.serve(folder, throwaway=True):
        pass
    (folder / "postgres" / "data" / "PG_VERSION").write_text("16\n")

    with pytest.raises(LaunchError, match="created by PostgreSQL 16; this Rollcall includes"):
        cluster.prepare(folder)


def test_folder_without_its_data_directory_is_refused_and_not_created_again(folder: Path) -> None:
    (folder / "postgres").symlink_to(folder / "elsewhere")

    with pytest.raises(LaunchError, match="which does not exist"):
        cluster.prepare(folder)


@pytest.mark.long
def test_interrupted_creation_is_started_again(folder: Path) -> None:
    half = folder / "postgres" / "data.part"
    half.mkdir(parents=True)
    (folder / "postgres").chmod(places.PASSABLE)
    (half / "PG_VERSION").write_text("18\n")

    with postgres.serve(folder, throwaway=True) as url:
        assert ask(url, "SELECT 1") == "1"


@pytest.mark.long
def test_server_ends_when_its_launcher_is_killed_and_the_next_start_recovers(
    folder: Path, launch: Launch
) -> None:
    launcher = launch("-c", SERVER_ALONE, str(folder))
    assert launcher.stdout is not None
    url = launcher.stdout.readline().strip()
    tell(url, "CREATE TABLE kept AS SELECT 7 AS number")
    server = server_pid(folder)

    launcher.kill()
    launcher.wait()

    with postgres.serve(folder) as again:  # at once, while the old one may still be ending
        assert ask(again, "SELECT number FROM kept") == "7"
        assert not is_running(server)


@pytest.mark.long
def test_rows_survive_when_every_process_is_killed(folder: Path, launch: Launch) -> None:
    launcher = launch("-c", SERVER_ALONE, str(folder))
    assert launcher.stdout is not None
    url = launcher.stdout.readline().strip()
    tell(url, "CREATE TABLE kept AS SELECT 7 AS number")
    server = server_pid(folder)

    launcher.send_signal(signal.SIGSTOP)  # it must not see its server die and restart it
    os.kill(server, signal.SIGKILL)
    launcher.kill()
    launcher.wait()

    with postgres.serve(folder) as again:
        assert ask(again, "SELECT number FROM kept") == "7"


@pytest.mark.long
def test_pid_file_that_names_another_program_does_not_stop_a_start(folder: Path) -> None:
    with postgres.serve(folder, throwaway=True):
        pass
    data = folder / "postgres" / "data"
    old = data / "postmaster.pid"
    old.write_text(f"{os.getpid()}\n{data}\n1700000000\n1\n\n127.0.0.1\n  0  0\nready\n")

    with postgres.serve(folder, throwaway=True) as url:
        assert ask(url, "SELECT 1") == "1"


@pytest.mark.long
def test_stop_is_quick_with_connected_clients(folder: Path) -> None:
    prepared = cluster.prepare(folder, throwaway=True)
    supervisor = Supervisor(Output(), Signals())
    supervisor.begin((postgres.describe(prepared),))
    server = server_pid(folder)

    with psycopg.connect(prepared.url()) as idle:
        supervisor.stop()

        assert not is_running(server)
        with pytest.raises(psycopg.OperationalError):
            idle.execute("SELECT 1")
    prepared.lock.close()


@pytest.mark.long
def test_stop_writes_a_checkpoint_so_that_no_recovery_is_needed(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with postgres.serve(folder):
        pass
    with postgres.serve(folder):
        pass
    assert "database system was not properly shut down" not in capfd.readouterr().err
    until(lambda: not stale_processes.find(folder / "postgres" / "data"), "nothing is left")


@pytest.mark.parametrize(
    ("nodes", "logins", "most"),
    [(1, 64, 100), (2, 64, 112), (8, 64, 208), (64, 64, 1104), (1, 200, 232)],
)
def test_every_node_has_connections_left(nodes: int, logins: int, most: int) -> None:
    made = postgres.for_processes(nodes, logins)
    assert made["max_connections"] == str(most)
    assert made["reserved_connections"] == str(nodes * postgres.OF_A_NODE)
