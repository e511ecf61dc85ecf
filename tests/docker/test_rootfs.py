"""The image as a container runs it (``make image``): its own file system, its user, no capability;
a stock client forms a group, an administrator logs in, an analysis runs."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from launcher import ports
from tests.docker import rootfs
from tests.docker.files import CHECKOUT, services
from tests.docker.rootfs import Image
from tests.docker.test_image import TOKEN, filled
from tests.docker.test_programs import STOP_S, empty_database
from tests.launcher.waiting import until

__all__ = ["empty_database"]

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1_800),  # it downloads a Debian, Spark and a Java
    pytest.mark.skipif("ROLLCALL_IMAGE" not in os.environ, reason="make image runs this"),
]

PASSWORD = "an administrator's password, 42 times"
UID = 10001
ANALYSIS_S = 1_200
"""It took fourteen minutes on two processors with a load of 45."""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    assert rootfs.is_possible(), "this needs root and mmdebstrap"
    kept = CHECKOUT / "build" / "image"
    kept.mkdir(parents=True, exist_ok=True)
    made = Image(tmp_path_factory.mktemp("image"), {"EXTRAS": "spark"})
    made.build(rootfs.make_base(kept))
    return made


class Site:
    """The services of the compose file, each a process of the image."""

    def __init__(self, image: Image, url: str, folder: Path) -> None:
        self.image, self.folder = image, folder
        os.chown(folder, UID, UID)
        self.kafka, second, web = ports.free(3)
        self.web = f"http://127.0.0.1:{web}"
        self.own = {
            "ROLLCALL_DATABASE_URL": url,
            "ROLLCALL_DATABASE_MAY_BE_UNSAFE": "on",
            "ROLLCALL_ADMIN_PASSWORD": PASSWORD,
            "ROLLCALL_API_TOKEN": TOKEN,
            "ROLLCALL_KAFKA_PORT": str(self.kafka),
            "NODE_1_PORT": str(second),
            "ROLLCALL_DRAFT_PORT": "0",
            "ROLLCALL_WEB_PORT": str(web),
        }

    def run(self, program: list[str], own: dict[str, str]) -> int:
        """A process to its end."""
        command = self.image.command(program, self.folder, own)
        return subprocess.run(command, check=False).returncode

    @contextmanager
    def served(self, name: str) -> Iterator[Callable[[], bool]]:
        """A service; whether its health check is content, which runs in a container, too."""
        service = services()[name]
        ready = {"ROLLCALL_READY_FILE": f"/var/lib/rollcall/{name}-ready"}
        words, own = filled(service["command"], self.own), self.own | ready
        check = filled(service["healthcheck"]["test"][1:], self.own)
        program = [*self.image.entry, *words]
        process = subprocess.Popen(self.image.command(program, self.folder, own))

        def is_healthy() -> bool:
            assert process.poll() is None, f"{words} has ended"
            return self.run(check, own) == 0

        try:
            yield is_healthy
        finally:
            status = Path(f"/proc/{process.pid}/status").read_text()
            process.terminate()
            process.wait(STOP_S)
        assert re.search(rf"^Uid:\s+{UID}\s+{UID}\s+{UID}", status, re.MULTILINE), status
        assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE), status

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """REST."""
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.web}/api/v1{path}", data, headers, method=method)
        with urlopen(request, timeout=30) as answer:
            return json.load(answer)


@pytest.fixture
def site(image: Image, empty_database: str, tmp_path: Path) -> Iterator[Site]:
    made = Site(image, empty_database, tmp_path)
    assert made.run([*image.entry, *services()["setup"]["command"]], made.own) == 0
    with ExitStack() as running:
        started = [running.enter_context(made.served(n)) for n in services().keys() - {"setup"}]
        for is_healthy in started:
            until(is_healthy, "every service is healthy", patience_s=200)
        yield made


def test_the_image_serves_a_client_and_an_administrator(site: Site) -> None:
    forms_a_group(site)
    logs_in(site)


def test_the_image_runs_an_analysis(site: Site) -> None:
    forms_a_group(site)
    site.ask("POST", "/reports")
    run = until(lambda: ended_run(site), "the analysis ends", patience_s=ANALYSIS_S)
    assert run["state"] == "succeeded", run


def ended_run(site: Site) -> Any:
    """The newest analysis, once it has ended."""
    runs = site.ask("GET", "/reports/runs?page_size=1")["data"]
    return runs[0] if runs and runs[0]["state"] not in ("queued", "running") else None


def forms_a_group(site: Site) -> None:
    """A stock client joins, and commits."""
    where = {"bootstrap.servers": f"127.0.0.1:{site.kafka}"}
    admin = AdminClient(where)
    admin.create_topics([NewTopic("orders", 3, 1)])["orders"].result(60)
    consumer = Consumer({**where, "group.id": "packers", "enable.auto.commit": False})
    consumer.subscribe(["orders"])
    until(lambda: consumer.poll(0.1) is None and len(consumer.assignment()) == 3, "it owns all")
    consumer.commit(offsets=[TopicPartition("orders", 0, 7)], asynchronous=False)
    consumer.close()
    assert site.ask("GET", "/groups/packers")["group_id"] == "packers"


def logs_in(site: Site) -> None:
    """With a password, and sees the first page that this leads to."""
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    page = browser.open(f"{site.web}/admin/login/").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token is not None
    form = {"csrfmiddlewaretoken": token[1], "username": "admin", "password": PASSWORD}
    sent = Request(f"{site.web}/admin/login/", urlencode(form).encode())
    sent.add_header("Referer", f"{site.web}/admin/login/")
    answer = browser.open(sent)
    assert "/admin/login/" not in answer.url
    assert "admin" in answer.read().decode()
