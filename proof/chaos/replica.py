"""A data folder that follows a running server, created as an operator does it: by
``pg_basebackup``."""

import os
from pathlib import Path
from urllib.parse import urlsplit

from launcher import binaries
from launcher.cluster import DATABASE
from launcher.data_dir import DataDir, server_home, write_private
from launcher.identity import choose, run_as

SETTINGS = """
primary_conninfo = '{follows}'
hot_standby_feedback = on
"""
"""Overrides what ``ALTER SYSTEM`` set on the primary. The second, so that its clean-up does not
drop a replication slot of the replica."""


def copy(follows: str, path: Path) -> None:
    """Create the data folder ``path``, which ``python -m proof.chaos.database`` can serve.

    ``follows`` is the primary's URL, now and later. RuntimeError if it cannot be copied.
    """
    data_dir = DataDir(path)
    data_dir.make()
    identity = choose(data_dir.server_home / "data")
    home = server_home(data_dir, identity)
    program = str(binaries.locate(home, identity).folder / "pg_basebackup")
    data, source = home / "data", follows.removesuffix(DATABASE)
    data.mkdir(mode=0o700)
    if identity is not None:
        os.chown(data, identity.uid, identity.gid)
    options = ["--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf"]
    done = run_as(identity, [program, f"--dbname={source}", f"--pgdata={data}", *options])
    if done.returncode != 0:
        raise RuntimeError(f"pg_basebackup failed: {done.stderr.strip()}")
    (data / "postgresql.auto.conf").write_text(SETTINGS.format(follows=source))
    password = urlsplit(follows).password
    assert password is not None
    write_private(data_dir.password_file, password)
