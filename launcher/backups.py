"""``rollcall-server backup FILE`` and ``restore FILE``: a dump of the database, and the way back.

A restored database lacks generations that were issued since. So a restore raises every number, as a
node does that finds that time has gone back (docs/backups.md): no number is issued twice, however
often the same file is restored. It goes into a database beside the present one, and replaces that
when all of it has succeeded: a file that cannot be restored changes nothing.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg

from launcher import binaries, commands, own_secrets, plan, postgres
from launcher.cluster import DATABASE
from launcher.data_dir import DataDir
from launcher.environment import Environment
from launcher.errors import LaunchError
from launcher.output import Output

RESTORED, BEFORE = f"{DATABASE}_restored", f"{DATABASE}_before_restore"
STEP = 1_000_000
"""By how much numbers are raised at once (``rollcall_raise_epochs``)."""

CHUNK = 1 << 20

NUMBERS = "SELECT generations_after FROM rollcall_timeline"
IS_ELSEWHERE = (
    "ROLLCALL_DATABASE_URL is set: restore that PostgreSQL with its own tools, and run"
    " `manage.py raise_epochs` before the nodes start (docs/backups.md)."
)


def backup(configured: Environment, target: Path, output: Output) -> None:
    """Write a dump to ``target``, which must not exist; it appears completely or not at all. The
    installation may run or not. Raises ``LaunchError``."""
    if target.exists():
        raise LaunchError(f"{target} exists: name a new file.")
    part = target.with_name(f"{target.name}.part")
    with _database(configured, output) as url:
        try:
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:
                _run("pg_dump", url, "--format=custom", output=opened.fileno())
                opened.seek(0, os.SEEK_END)
                opened.write(_seal(_digest(part, 0)))
                opened.flush()
                os.fsync(opened.fileno())
            part.rename(target)
        except OSError as failure:
            raise LaunchError(f"{target} cannot be written: {failure.strerror}.") from None
        finally:
            part.unlink(missing_ok=True)


def restore(configured: Environment, source: Path, output: Output) -> None:
    """Make a dump the database of this installation, which must not run; the database before is
    kept as ``BEFORE``. Raises ``LaunchError``."""
    if configured.database_url is not None:
        raise LaunchError(IS_ELSEWHERE)
    source = source.absolute()
    check(source)
    with postgres.serve(configured.data_dir, output=output) as url:
        _manage(configured, url, "setup")  # the dump's grants need its roles
        restored = _named(url, RESTORED)
        _execute(url, f"DROP DATABASE IF EXISTS {RESTORED}")
        _execute(url, f"CREATE DATABASE {RESTORED} TEMPLATE template0")
        try:
            _run("pg_restore", restored, "--no-owner", "--exit-on-error", str(source))
            _manage(configured, restored, "setup")
            times = f"--times={_times(_number(url), _number(restored))}"
            _manage(configured, restored, "raise_epochs", f"--reason=restored {source.name}", times)
        except BaseException:
            _execute(url, f"DROP DATABASE {RESTORED}")
            raise
        _replace(url)


def check(source: Path) -> None:
    """Raise ``LaunchError`` unless this is a whole backup. pg_restore itself takes a dump whose end
    is missing, and says nothing."""
    try:
        with source.open("rb") as opened:
            opened.seek(-SEAL_BYTES, os.SEEK_END)
            seal = opened.read()
        is_whole = seal == _seal(_digest(source, SEAL_BYTES))
    except OSError as failure:
        raise LaunchError(f"{source} cannot be read: {failure.strerror}.") from None
    if not is_whole:
        raise LaunchError(f"{source} is damaged, or `rollcall-server backup` did not write it.")


def _seal(digest: str) -> bytes:
    """What follows the dump, which pg_restore does not read."""
    return f"\nrollcall backup, sha256 {digest}\n".encode()


SEAL_BYTES = len(_seal(sha256().hexdigest()))


def _digest(file: Path, but: int) -> str:
    """Of the whole file without so many bytes at its end."""
    found, left = sha256(), file.stat().st_size - but
    with file.open("rb") as opened:
        while left > 0 and (chunk := opened.read(min(left, CHUNK))):
            found.update(chunk)
            left -= len(chunk)
    return found.hexdigest()


def _times(present: int, restored: int) -> int:
    """How often the numbers are to be raised: once, and as often as they were since the dump."""
    return 1 + max(0, present - restored) // STEP


def _replace(url: str) -> None:
    _execute(url, f"DROP DATABASE IF EXISTS {BEFORE}")
    _execute(
        url,
        "BEGIN",
        f"ALTER DATABASE {DATABASE} RENAME TO {BEFORE}",
        f"ALTER DATABASE {RESTORED} RENAME TO {DATABASE}",
        "COMMIT",
    )


@contextmanager
def _database(configured: Environment, output: Output) -> Iterator[str]:
    """The URL of a database that is served: somewhere else, by an installation that runs, or for
    the while."""
    kept = DataDir(configured.data_dir).url_file
    if configured.database_url is not None:
        yield configured.database_url
    elif kept.exists() and _answers(url := kept.read_text().strip()):
        yield url
    else:
        with postgres.serve(configured.data_dir, output=output) as url:
            yield url


def _answers(url: str) -> bool:
    """Whether it is served; the file of a launcher that was killed is left behind."""
    try:
        with psycopg.connect(url, connect_timeout=5):
            return True
    except psycopg.OperationalError:
        return False


def _run(program: str, url: str, *arguments: str, output: int | None = None) -> None:
    """One of PostgreSQL's programs, to its end. The password is in no command line."""
    parts = urlsplit(url)
    user, at = (f"{parts.username}@" if parts.username else ""), parts.netloc.rpartition("@")[2]
    plain = parts._replace(netloc=f"{user}{at}").geturl()
    password = {"PGPASSWORD": unquote(parts.password)} if parts.password else {}
    environ = {**os.environ, **password}
    path = binaries.in_folder(binaries.site_packages()).folder / program
    command = [str(path), f"--dbname={plain}", *arguments]
    done = subprocess.run(
        command, env=environ, stdout=output, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise LaunchError(f"{program}: {done.stderr.strip()}")


def _manage(configured: Environment, url: str, name: str, *arguments: str) -> None:
    """A command of manage.py on this database, to its end; its output is ours."""
    environ: Mapping[str, str] = {
        **plan.OWN_POSTGRESQL,
        **os.environ,
        "ROLLCALL_DATA_DIR": str(configured.data_dir),
        own_secrets.URL: url,
    }
    command = (sys.executable, *commands.MANAGE, name, *arguments)
    environ = commands.environ("setup", environ)
    done = subprocess.run(
        command,
        env=dict(environ),
        cwd=commands.CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise LaunchError(f"{name}: {done.stderr.strip()}")


def _named(url: str, database: str) -> str:
    return urlsplit(url)._replace(path=f"/{database}").geturl()


def _execute(url: str, *statements: str) -> None:
    """From another database: neither of ours is in use then."""
    try:
        with psycopg.connect(_named(url, "postgres"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())
    except psycopg.Error as error:
        raise LaunchError(f"{statements[0]}: {error}") from None


def _number(url: str) -> int:
    try:
        with psycopg.connect(url) as connection:
            row = connection.execute(NUMBERS.encode()).fetchone()
    except psycopg.Error as error:
        raise LaunchError(f"The database cannot be read: {error}") from None
    return int(row[0]) if row else 0
