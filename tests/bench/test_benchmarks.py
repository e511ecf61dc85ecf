"""The benchmarks, small: they check every reply and read everything back.

Nothing here asserts how fast anything is.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import (
    closed_loop,
    commits,
    crowds,
    growth,
    heartbeats,
    lists,
    nodes,
    pages,
    paired,
    returning,
    scrapes,
)
from benchmarks.commits import Committer
from benchmarks.counting_proxy import CountingProxy
from benchmarks.options import Options
from benchmarks.wire import Member, Peer
from launcher import ports
from launcher.installation import CHECKOUT, Installation
from rollcall.wire.messages.metadata import MetadataRequest
from tests.installations import TOKEN

METADATA, METADATA_VERSION = 3, 1


@pytest.fixture(scope="module")
def own() -> Iterator[Installation]:
    """One whose processes are measured, and killed."""
    user = {"ROLLCALL_ADMIN_USER": pages.USER, "ROLLCALL_ADMIN_PASSWORD": pages.PASSWORD}
    with Installation({"ROLLCALL_API_TOKEN": TOKEN, **user}) as running:
        yield running


@pytest.mark.long
@pytest.mark.xdist_group("bench")
@pytest.mark.skipif(not closed_loop.can_run(), reason="needs Linux and a C compiler")
def test_node_and_ceiling_answer_every_heartbeat_correctly(own: Installation) -> None:
    pairs = heartbeats.measure(own, rounds=2, seconds=0.3, groups=3, size=2)

    assert len(pairs) == 2
    for ours, ceiling in pairs:
        assert ours.wrong == ceiling.wrong == 0
        # Each of the six members has sent wrong beats of its own among these.
        assert min(ours.replies, ceiling.replies) > 6 * heartbeats.WRONG_EVERY


@pytest.mark.long
@pytest.mark.xdist_group("bench")
@pytest.mark.skipif(not closed_loop.can_run(), reason="needs Linux and a C compiler")
def test_the_load_detects_a_heartbeat_that_should_have_been_refused(
    own: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeats, "UNKNOWN_MEMBER_ID", 0)

    ((ours, ceiling),) = heartbeats.measure(own, rounds=1, seconds=0.3, groups=1, size=1)

    assert 0 < ours.wrong <= ours.replies // heartbeats.WRONG_EVERY + 1
    assert 0 < ceiling.wrong <= ceiling.replies // heartbeats.WRONG_EVERY + 1


@pytest.mark.long
@pytest.mark.xdist_group("bench")
def test_every_page_of_a_list_is_read(own: Installation) -> None:
    fill_to = (own.data_dir / "database-url").read_text().strip()
    lists.fill(fill_to, groups=120, large=250)
    with lists.Web(own.web, TOKEN) as web:
        assert len(list(web.pages("/api/v1/groups?page_size=50"))) == 3
        assert len(list(web.pages(lists.MEMBERS_PATH))) == 3
        figures = lists.measured(own, web, lists.LISTS[0][0], 2, 1)
    assert 0 < figures.best <= figures.median
    pages.share(fill_to, members=250, partitions=500)
    with pages.Browser(own.web) as browser:
        figures = lists.measured(own, browser, pages.PAGES[-1][0], 2, 1)
        assert [next(browser.pages(path)) > 0 for path, _ in pages.PAGES]
    assert 0 < figures.best <= figures.median


@pytest.mark.long
@pytest.mark.xdist_group("bench")
def test_a_checkout_is_compared_with_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind of request has a line, and the load counted what was answered."""
    assert paired.main(Options(rounds=2, seconds=0.2, than=str(CHECKOUT)))

    lines = capsys.readouterr().out.splitlines()
    kinds = ["a heartbeat"] * closed_loop.can_run() + ["a commit, 1 ", "a commit, 500 "]
    assert all(line.startswith(kind) for line, kind in zip(lines, kinds, strict=True))


@pytest.mark.long
@pytest.mark.xdist_group("bench")
def test_acknowledged_commits_survive_when_every_process_is_killed(own: Installation) -> None:
    result = commits.measure(own, groups=2, members=6, seconds=0.5)

    assert len(result.acknowledged) == 6
    assert min(result.acknowledged) > 0
    assert (result.wrong, result.lost) == (0, 0)
    assert len(result.latencies_ms) > 6


@pytest.mark.long
@pytest.mark.xdist_group("bench")
@pytest.mark.skipif(not closed_loop.can_run(), reason="needs Linux and a C compiler")
def test_every_node_answers_the_members_of_the_groups_that_it_leads() -> None:
    """And PostgreSQL counts what they have committed."""
    with nodes.fleets([2], members=60) as (both,):
        nodes.measure([both], rounds=1, seconds=5.0)

        for name, (done,) in both.rounds.items():
            assert len(both.fed[name]) == 2, "the groups have one leader"
            assert done.load.wrong == 0 and done.load.replies > 60, name
        counted = both.rounds["commits"][0].counted
        assert counted.rows > counted.transactions > counted.syncs > 0
        assert counted.wal_bytes > counted.wal_records > counted.rows
        assert nodes.database_line(both.rounds["commits"])


@pytest.mark.long
@pytest.mark.xdist_group("bench")
@pytest.mark.skipif(not closed_loop.can_run(), reason="needs Linux and a C compiler")
def test_heartbeats_during_scrapes_are_answered_correctly() -> None:
    (port,) = ports.free(1)
    with Installation({scrapes.PORT: str(port)}) as running:
        figures = scrapes.measure(running, port, 2, 0.3, groups=3, size=2, scrapes=5)

    assert len(figures.scrape_s) == len(figures.ratios) == 2
    assert figures.size > 1_000
    assert figures.wrong == 0


async def test_a_commit_that_is_refused_counts_as_a_wrong_reply(installation: Installation) -> None:
    stranger = Member(await Peer.connect(installation.kafka), "nobodys-group", 45_000)
    stranger.member_id, stranger.generation = "stranger", 7
    host, _, port = installation.kafka.rpartition(":")
    loop = asyncio.get_running_loop()
    _, committer = await loop.create_connection(lambda: Committer(stranger, 0), host, int(port))

    committer.commit()
    await committer.ended

    assert committer.wrong and committer.acknowledged == -1
    stranger.peer.close()


async def test_the_proxy_counts_and_forwards_each_request(installation: Installation) -> None:
    async with CountingProxy() as proxy:
        proxy.upstream = installation.kafka
        peer = await Peer.connect(f"127.0.0.1:{proxy.port}")
        for _ in range(3):
            answer = await peer.call(MetadataRequest(topics=[]), METADATA_VERSION)
            assert [broker.node_id for broker in answer.brokers] == [0]
        peer.close()

    assert proxy.counts == {METADATA: 3}


async def test_a_phase_of_crowds_ends_on_time() -> None:
    """What was seen while a crowd gathered counted as calm, and each ratio to it was too small."""
    good = crowds.Good([])
    calm = await good.watched(0)
    good.seen.beats.append(1.0)
    assert calm.beats == []


GROWING = [
    pytest.param(kind, marks=() if kind is growth.consumer else pytest.mark.long)
    for kind in growth.KINDS_MEASURED
]


@pytest.mark.parametrize("kind", GROWING)
def test_every_event_of_a_growing_group_is_answered(kind: growth.Measure) -> None:
    """What is measured are answers without an error: the benchmark itself looks."""
    assert all(cost > 0 for _, cost in kind(8))


def test_a_large_target_is_requested_and_followed() -> None:
    asked, installed, gap = asyncio.run(growth.longest_gap(growth.Shape(40, 200, 1, 100)))
    assert asked > 0 and installed > 0 and gap > 0
    _, installed, _ = asyncio.run(growth.longest_gap(growth.Shape(4, 5, 1)))
    assert installed == 0, "a small one is worked out within the step"


@pytest.mark.long
@pytest.mark.xdist_group("bench")
def test_clients_with_tls_and_scram_return_at_once_and_nobody_is_evicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(returning, "CALM_S", 1.0)
    wanted, door = returning.settings(tmp_path)
    with Installation(wanted) as running:
        returning.make_user(running)
        figures = asyncio.run(returning.measure(running, door, groups=4, size=50))
    assert figures.is_right, figures
    assert figures.returning.beats and len(figures.back) == 200
