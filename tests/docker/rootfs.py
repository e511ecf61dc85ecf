"""The image's root file system without Docker: Debian's packages as the base, then the Dockerfile's
own steps in it. Needs root and mmdebstrap."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.docker.files import CHECKOUT, DOCKERFILE
from tests.docker.instructions import Stage, assigned, filled, stages, words

RELEASE = "bookworm"
PACKAGES = "python3,python3-venv,python3-pip,ca-certificates"
"""What the official image of Python has of Debian, or has built itself."""

AUTHORITIES = "etc/ssl/certs/ca-certificates.crt"
OF_THE_MACHINE = ("etc/resolv.conf", AUTHORITIES)
"""What a build sees of the machine's network, and the image does not keep."""

OF_A_CONTAINER = ("etc/hosts", "etc/resolv.conf")
"""What Docker gives a container that uses the machine's network: a Java looks up its own name."""

FROM_OUTSIDE = dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE"), f"/{AUTHORITIES}")


def is_possible() -> bool:
    """Whether it can be made here."""
    return os.geteuid() == 0 and shutil.which("mmdebstrap") is not None


class Image:
    """``build`` makes it below a folder; ``root`` is the last stage's file system."""

    def __init__(self, folder: Path, arguments: Mapping[str, str]) -> None:
        self._folder, self._arguments = folder, arguments
        self._roots: dict[str, Path] = {}
        self.root = folder
        self.environ: dict[str, str] = {}
        self.workdir, self.user = "/", "0:0"
        self.entry: list[str] = []

    def build(self, base: Path) -> None:
        """Every stage, each from a copy of the base."""
        for number, stage in enumerate(stages(DOCKERFILE.read_text(), self._arguments)):
            self.root = self._roots[stage.name] = self._folder / f"stage-{number}"
            copy = ["cp", "--archive", "--reflink=auto", str(base), str(self.root)]
            subprocess.run(copy, check=True)
            self.environ = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
            self.workdir, self.user = "/", "0:0"
            self._do(stage)

    def _do(self, stage: Stage) -> None:
        for word, text in stage.steps:
            if word == "ARG":
                self.environ |= assigned(text, {})
                self.environ |= {k: v for k, v in self._arguments.items() if k in self.environ}
            elif word == "ENV":
                self.environ |= assigned(text, self.environ)
            elif word == "WORKDIR":
                self.workdir = text
                (self.root / text.lstrip("/")).mkdir(parents=True, exist_ok=True)
            elif word == "COPY":
                self._copy(shlex.split(filled(text, self.environ)))
            elif word == "RUN":
                self._run(text)
            elif word == "USER":
                self.user = text
            elif word == "ENTRYPOINT":
                self.entry = words(text)
            else:
                assert word == "CMD", f"{word}: not understood"

    def _copy(self, told: Sequence[str]) -> None:
        """Files into a folder, or a folder's content into one."""
        origin = CHECKOUT
        if told[0].startswith("--from="):
            origin, told = self._roots[told[0].removeprefix("--from=")], told[1:]
        *sources, target = told
        place = self.root / os.path.join(self.workdir, target).lstrip("/")
        for source in sources:
            found = origin / source.lstrip("/")
            if found.is_dir():
                kept = shutil.ignore_patterns() if origin != CHECKOUT else UNWANTED
                shutil.copytree(found, place, symlinks=True, ignore=kept, dirs_exist_ok=True)
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(found, place)

    def _run(self, command: str) -> None:
        """As root, with the machine's network."""
        binds = [f"mount --bind /{name} {self.root}/{name}" for name in OF_THE_MACHINE]
        environ = {**FROM_OUTSIDE, **self.environ}
        inner = f"cd {self.workdir} && {command}"
        words = [
            "chroot",
            str(self.root),
            "env",
            "-i",
            *variables(environ),
            "/bin/sh",
            "-ec",
            inner,
        ]
        subprocess.run(mounted(self.root, binds, words), check=True)

    def command(self, program: Sequence[str], data: Path, environ: Mapping[str, str]) -> list[str]:
        """What starts a process of the image as a container does: as its user and without any
        capability, on a file system that is read-only but for /tmp and the volume ``data``. It
        becomes the program, so that signals reach it."""
        uid, _, gid = self.user.partition(":")
        volume = self.environ["ROLLCALL_DATA_DIR"]
        binds = [
            f"mount -o remount,bind,ro {self.root}",
            f"mount -t tmpfs -o mode=1777 none {self.root}/tmp",
            f"mount --bind {data} {self.root}{volume}",
            *(f"mount --bind /{name} {self.root}/{name}" for name in OF_A_CONTAINER),
        ]
        who = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups"]
        none = ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
        told = ["env", "-i", f"--chdir={self.workdir}", *variables({**self.environ, **environ})]
        words = ["chroot", str(self.root), *who, *none, *told, *program]
        return mounted(self.root, binds, words)


UNWANTED = shutil.ignore_patterns("__pycache__")
"""What .dockerignore keeps out."""


def make_debian(part: Path, release: str, packages: str) -> None:
    """A Debian with these packages beside the least. One that is not released yet says until when
    its lists hold, which a machine that is behind does not mind."""
    shutil.rmtree(part, ignore_errors=True)
    own = ["--quiet", "--variant=minbase", "--mode=root"]
    late = '--aptopt=Acquire::Check-Valid-Until "false"'
    subprocess.run(["mmdebstrap", *own, late, f"--include={packages}", release, part], check=True)


def make_base(folder: Path) -> Path:
    """Debian with a Python that is named as in the official image; kept for the next build."""
    base = folder / f"base-{RELEASE}"
    if not base.exists():
        part = folder / "base.part"
        make_debian(part, RELEASE, PACKAGES)
        for name in ("python", "python3"):
            (part / "usr/local/bin" / name).symlink_to("/usr/bin/python3")
        # Debian keeps pip away from its own packages; the official image has none of these.
        for marker in part.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
            marker.unlink()
        for name in OF_A_CONTAINER:
            (part / name).touch()
        part.rename(base)
    return base


def variables(environ: Mapping[str, str]) -> list[str]:
    """Variables, as ``env`` takes them."""
    return [f"{name}={value}" for name, value in environ.items()]


def mounted(root: Path, binds: Sequence[str], command: Sequence[Any]) -> list[str]:
    """The command, in mounts of its own that nobody else sees."""
    always = [
        f"mount --bind {root} {root}",
        f"mount --rbind /dev {root}/dev",
        *binds,
        f"mount -t proc proc {root}/proc",
    ]
    script = "\n".join((*always, f"exec {shlex.join(command)}"))
    return ["unshare", "--mount", "/bin/sh", "-ec", script]
