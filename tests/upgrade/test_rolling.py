"""Programs of an earlier version and of this one beside each other on one database: nodes one by
one there, and back, under a stock client that commits all the time; web and worker of either
version on the tables of the other."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from launcher import ports
from launcher.installation import CHECKOUT
from tests.launcher.conftest import folder
from tests.launcher.test_hosts import GROUP, Worker
from tests.launcher.waiting import until
from tests.upgrade import rolling
from tests.upgrade.rolling import LAST_MIGRATION, Cluster, Rolling

__all__ = ["folder"]

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not rolling.has_earlier():
        pytest.skip("this checkout does not have the earlier commit: a shallow clone")
    return rolling.unpack_earlier(tmp_path_factory.mktemp("earlier"))


@pytest.fixture
def cluster(folder: Path) -> Iterator[Cluster]:
    with rolling.cluster(folder) as made:
        yield made


def test_nodes_are_upgraded_one_by_one_and_go_back(cluster: Cluster, earlier: Path) -> None:
    for step in Rolling(cluster, earlier).play():
        assert not step.violations, step


RUNS = "SELECT coalesce(sum(runs), 0) FROM rollcall_sweep"
LACKING = (
    "ALTER TABLE rollcall_beat_lease RENAME TO rollcall_later",
    "ALTER TABLE rollcall_node RENAME TO rollcall_later_too",
)
"""As if a migration after 0.2.0 had brought these, for which web and worker ask at once."""
OLDER = "if this version of Rollcall is newer than the database, run its setup"


def test_web_and_worker_of_either_version_meet_the_tables_of_the_other(
    cluster: Cluster, earlier: Path
) -> None:
    cluster.manage(earlier, "setup")
    cluster.start(0, earlier)
    admin = cluster.manage(earlier, "create_token", "upgrade", "--user", "admin")
    web = Console(cluster, earlier, admin)
    worker = cluster.begin(earlier, "worker", "--beat")
    client = Worker(f"127.0.0.1:{cluster.ports[0]}")
    client.create_topic()
    client.start()
    client.goes_on()

    cluster.manage(CHECKOUT, "setup")
    assert web.pages_fail() == []
    before, runs = cluster.generations(GROUP)[GROUP], cluster.value(RUNS)
    assert web.rebalances() in (200, 201, 202)
    until(
        lambda: cluster.generations(GROUP)[GROUP] > before,
        "a rebalance by the old web",
        patience_s=60,
    )
    until(lambda: cluster.value(RUNS) > runs, "periodic work by the old worker", patience_s=90)
    client.ended.set()
    client.join(30)
    assert not client.failures and worker.poll() is None

    cluster.stop(0)
    cluster.manage(CHECKOUT, "migrate", "groups", LAST_MIGRATION)
    cluster.execute(*LACKING)
    newer = Console(cluster, CHECKOUT, admin)
    failing = newer.pages_fail()
    assert failing and all(status == 503 and OLDER in text for _, status, text in failing)
    assert cluster.begin(CHECKOUT, "worker", "--beat").wait(120) != 0
    said = cluster.log(CHECKOUT, "worker").read_text()
    assert OLDER in said and "Traceback" not in said


class Console:
    """A web of either version, and a user of it."""

    PAGES = (
        "/api/v1/groups",
        f"/api/v1/groups/{GROUP}",
        f"/api/v1/groups/{GROUP}/members",
        "/api/v1/journal",
        "/api/v1/nodes",
    )

    def __init__(self, cluster: Cluster, tree: Path, token: str) -> None:
        (port,) = ports.free(1)
        self.url = f"http://127.0.0.1:{port}"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"
        cluster.begin(tree, "web", "-b", "127.0.0.1", "-p", str(port))
        until(self._lives, "the web", patience_s=90)

    def _lives(self) -> bool:
        try:
            return self.session.get(f"{self.url}/livez", timeout=5).ok
        except requests.ConnectionError:
            return False

    def pages_fail(self) -> list[tuple[str, int, str]]:
        """Those that are not answered as they should be, with status and text."""
        found = [(path, self.session.get(self.url + path, timeout=30)) for path in self.PAGES]
        return [(path, answer.status_code, answer.text) for path, answer in found if not answer.ok]

    def rebalances(self) -> int:
        """The status with which it takes a forced rebalance."""
        where = f"{self.url}/api/v1/groups/{GROUP}/rebalances"
        answer = self.session.post(where, json={"reason": "upgrade"}, timeout=30)
        return answer.status_code
