"""The image, made without Docker: the Dockerfile's own files and packages, and every service of the
compose file, with its command and its health check.

The other tests of this folder run in a checkout, which has more: the project itself is installed
there, with development tools.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from launcher import ports
from launcher.installation import CHECKOUT
from tests.docker.files import COPY, DOCKERFILE, VARIABLE, services
from tests.docker.test_programs import STOP_S, empty_database
from tests.launcher.waiting import until

__all__ = ["empty_database"]

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

UV = CHECKOUT / ".tools" / "uv" / "bin" / "uv"
SYNC = re.compile(r"^ *uv sync (?P<options>(?:[^\n]*\\\n)*[^\n]*)$", re.MULTILINE)
TOKEN = "a-token-that-only-this-test-knows-0123456789"
PAGES = ("livez", "readyz?verbose", "metrics", "api/v1/me", "api/v1/groups", "api/v1/docs",
         "api/v1/schema", "admin/login/")  # fmt: skip
"""Of the web, each of another part."""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the image has as /opt/rollcall, beside its environment ``venv``."""
    if not UV.exists():
        pytest.skip("make setup brings uv, which installs the packages")
    made = tmp_path_factory.mktemp("image")
    for line in COPY.finditer(DOCKERFILE.read_text()):
        *sources, target = shlex.split(line[0].removeprefix("COPY "))
        for source in sources:
            place = made / target / (Path(source).name if (CHECKOUT / source).is_file() else "")
            copy(CHECKOUT / source, place)
    sync = SYNC.search(DOCKERFILE.read_text())
    assert sync is not None
    options = [o for o in shlex.split(sync["options"].replace("\\\n", " ")) if o not in UNUSED]
    told = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    venv = {"UV_PROJECT_ENVIRONMENT": str(made / "venv"), "UV_PYTHON": sys.executable}
    subprocess.run([UV, "sync", "--quiet", *options], cwd=made, env=told | venv, check=True)
    return made


UNUSED = ("$@", "--no-cache")
"""The Dockerfile's own arguments, and what would download every package again."""


def copy(source: Path, target: Path) -> None:
    """A file or a folder of the build's context; what the build does not need stays out."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        shutil.copy(source, target)
    else:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


def test_every_service_of_the_image_starts_and_is_healthy(
    image: Path, empty_database: str, tmp_path: Path
) -> None:
    kafka, second, web = ports.free(3)
    own = {
        "ROLLCALL_DATABASE_URL": empty_database,
        "ROLLCALL_DATA_DIR": str(tmp_path),
        "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",
        "ROLLCALL_API_TOKEN": TOKEN,
        "ROLLCALL_KAFKA_PORT": str(kafka),
        "NODE_1_PORT": str(second),
        "ROLLCALL_DRAFT_PORT": "0",
        "ROLLCALL_WEB_PORT": str(web),
    }
    done = run(image, services()["setup"]["command"], own)
    assert done.returncode == 0, done.stderr
    with ExitStack() as running:
        started = []
        for name in services().keys() - {"setup"}:
            ready = {"ROLLCALL_READY_FILE": str(tmp_path / f"{name}-ready")}
            started.append(running.enter_context(served(image, services()[name], own | ready)))
        for is_healthy in started:
            until(is_healthy, "every service is healthy", patience_s=200)
        found = {page: status(f"http://127.0.0.1:{web}/{page}") for page in PAGES}
    assert found == dict.fromkeys(PAGES, 200)


def filled(words: Sequence[str], own: dict[str, str]) -> list[str]:
    """The words of a command of the compose file, with the values of its variables."""
    return [re.sub(VARIABLE.pattern + r"[^}]*\}", lambda v: own[v[1]], word) for word in words]


def environ(image: Path, own: dict[str, str]) -> dict[str, str]:
    """A container's environment: no more than it is given."""
    path = f"{image / 'venv' / 'bin'}:{os.environ['PATH']}"
    return {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1", **own}


def run(image: Path, words: Sequence[str], own: dict[str, str]) -> Any:
    """A task, run to its end."""
    command = ["python", "-m", "launcher.program", *filled(words, own)]
    return subprocess.run(
        command, cwd=image, env=environ(image, own), capture_output=True, text=True, check=False
    )


@contextmanager
def served(
    image: Path, service: dict[str, Any], own: dict[str, str]
) -> Iterator[Callable[[], bool]]:
    """A service that runs; whether its health check is content."""
    words, told = filled(service["command"], own), environ(image, own)
    check = filled(service["healthcheck"]["test"][1:], own)
    process = subprocess.Popen(["python", "-m", "launcher.program", *words], cwd=image, env=told)

    def is_healthy() -> bool:
        assert process.poll() is None, f"{words} has ended"
        return subprocess.run(check, cwd=image, env=told, check=False).returncode == 0

    try:
        yield is_healthy
    finally:
        process.terminate()
        process.wait(STOP_S)


def status(url: str) -> int:
    """Of a page, with the installation's token."""
    asked = Request(url, headers={"Authorization": f"Bearer {TOKEN}"})
    try:
        with urlopen(asked, timeout=30) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code
