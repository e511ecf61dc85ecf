"""Node ids that belong to hosts, and which process schedules the periodic work."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from groups.cluster import node_leases
from groups.cluster.node_leases import InUse, Refused
from groups.management.commands import setup
from groups.models import BeatLease as Row
from groups.models import NodeLease
from groups.store.sql import slots
from groups.sweeps import session
from groups.sweeps.beat_lease import RENEW_S, BeatLease
from tests.as_roles import role

pytestmark = pytest.mark.django_db

CLEANED = (
    "INSERT INTO rollcall_sweep (name, started_at, took_ms, outcome, failed, runs, failures)"
    " VALUES ('clean-up', now() - interval '1 minute', 1, '', false, 1, 0)"
)


@pytest.fixture(autouse=True)
def _prepared() -> None:
    """These tests need no node."""


def execute(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


@pytest.fixture
def served() -> Iterator[Any]:
    """Makes this process hold a node id, as a node does."""
    yield lambda node_id: execute(slots.LOCK_NODE % {"class": slots.LOCK_CLASS, "node_id": node_id})
    execute("SELECT pg_advisory_unlock_all()")


def folder(root: Path, name: str) -> Path:
    made = root / name
    made.mkdir()
    return made


def test_hosts_get_different_ids_and_keep_them(tmp_path: Path) -> None:
    one, other = folder(tmp_path, "one"), folder(tmp_path, "other")
    assert node_leases.lease(one, 2) == (0, 1)
    assert node_leases.lease(other, 1) == (2,)
    assert node_leases.lease(one, 3) == (0, 1, 3), "one node more"
    assert node_leases.lease(one, 1) == (0,)
    assert node_leases.lease(one, 2) == (0, 1), "the second was kept meanwhile"
    assert (one / "node-ids").stat().st_mode & 0o777 == 0o600


def test_of_two_copies_of_a_directory_the_first_that_starts_is_the_host(tmp_path: Path) -> None:
    one = folder(tmp_path, "one")
    node_leases.lease(one, 1)
    copy = shutil.copytree(one, tmp_path / "copy")
    assert node_leases.lease(copy, 1) == (0,)
    for _ in range(2):
        with pytest.raises(Refused, match="is a copy of another host's"):
            node_leases.lease(one, 1)
    (one / "node-ids").unlink()
    assert node_leases.lease(one, 1) == (1,)


def test_ids_that_are_served_are_refused_and_change_nothing(tmp_path: Path, served: Any) -> None:
    one = folder(tmp_path, "one")
    node_leases.lease(one, 1)
    before = (one / "node-ids").read_text()
    served(0)
    with pytest.raises(InUse, match=r"Node 0, of the data directory .* is served by another"):
        node_leases.lease(one, 1)
    assert (one / "node-ids").read_text() == before
    assert NodeLease.objects.get().starts == 1


def test_the_command_waits_for_nodes_that_end_and_then_says_so(
    tmp_path: Path, served: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path
    node_leases.lease(tmp_path, 1)
    served(0)
    now = iter(range(100))
    looks: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: next(now), sleep=looks.append)
    monkeypatch.setattr(setup, "time", clock)
    with pytest.raises(CommandError, match="Node 0"):
        setup.lease(1)
    assert len(looks) == setup.IN_USE_S - 1


def test_a_new_host_takes_no_id_that_others_use(tmp_path: Path, served: Any) -> None:
    """Of nodes that were numbered by hand, and of drains."""
    served(0)
    execute(
        "INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)"
        " SELECT 1, gen_random_uuid(), 1, 'h', 1, now(), now()"
    )
    execute("INSERT INTO rollcall_drain SELECT 2, 'olga', 'why', now(), now()")
    assert node_leases.lease(tmp_path, 2) == (3, 4)


def test_a_database_that_was_restored_gives_the_same_ids_where_they_are_free(
    tmp_path: Path,
) -> None:
    one, other = folder(tmp_path, "one"), folder(tmp_path, "other")
    node_leases.lease(one, 1)
    node_leases.lease(other, 2)
    NodeLease.objects.all().delete()
    assert node_leases.lease(other, 2) == (1, 2)
    assert node_leases.lease(one, 1) == (0,)
    NodeLease.objects.update(starts=1)  # an earlier state
    assert node_leases.lease(other, 2) == (1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"host": 1, "starts": 1, "node_ids": [0]}',
        '{"host": "h", "starts": 1, "node_ids": [0]}',
        '{"host": "8d9e6bdd-f202-4fd0-b876-de49d6dbf8cb", "starts": 1, "node_ids": ["x"]}',
    ],
)
def test_a_damaged_file_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "node-ids").write_text(text)
    with pytest.raises(Refused, match="cannot be read"):
        node_leases.lease(tmp_path, 1)
    assert not NodeLease.objects.exists() and (tmp_path / "node-ids").read_text() == text


def test_set_up_leases_what_it_is_asked_for(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    call_command("setup", "--nodes=2")
    assert json.loads((tmp_path / "node-ids").read_text())["node_ids"] == [0, 1]


def test_ids_of_hosts_that_stay_away_become_free(tmp_path: Path) -> None:
    node_leases.lease(tmp_path, 2)
    execute(CLEANED)
    execute("UPDATE rollcall_node_lease SET seen_at = now() - interval '8 days'")
    execute(
        "INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)"
        " SELECT 1, gen_random_uuid(), 1, 'h', 1, now(), now()"
    )
    with role("rollcall_worker"):
        assert "1 node ids of hosts that left" in session.clean_up()
    assert [lease.node_id for lease in NodeLease.objects.all()] == [1]


def test_the_id_of_a_node_that_is_forgotten_becomes_free(tmp_path: Path) -> None:
    node_leases.lease(tmp_path, 1)
    execute(
        "INSERT INTO rollcall_node (node_id, incarnation, beat, host, port, started_at, beat_at)"
        " SELECT 0, gen_random_uuid(), 1, 'h', 1, now(), now() - interval '1 hour'"
    )
    execute("SELECT rollcall_forget_node(0, 'it was sold', '{}')")
    assert not NodeLease.objects.exists()


IDS = st.integers(0, 9)


@given(
    st.lists(IDS, max_size=3, unique=True),
    st.lists(IDS, max_size=4, unique=True),
    st.sets(IDS),
    st.integers(1, 6),
)
def test_chosen_ids_are_different_and_free(
    kept: list[int], remembered: list[int], others: set[int], nodes: int
) -> None:
    taken = others | set(kept)
    ids = node_leases.chosen(kept[:nodes], remembered, taken, nodes)
    assert len(ids) == len(set(ids)) == nodes
    assert list(ids[: len(kept[:nodes])]) == kept[:nodes]
    assert not set(ids[len(kept[:nodes]) :]) & taken


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_one_schedules_and_another_follows_when_it_ends() -> None:
    clock = Clock()
    one, other = BeatLease(clock), BeatLease(clock)
    with role("rollcall_worker"):
        assert [one.is_ours(), other.is_ours(), one.is_ours()] == [True, False, True]
        one.give_back()
        assert [other.is_ours(), one.is_ours()] == [True, False]


@pytest.mark.parametrize("end", ["-1 second", "1 hour"])
def test_a_holder_that_says_nothing_is_followed(end: str) -> None:
    """Also if the server's clock was set back by an hour since."""
    clock = Clock()
    one, other = BeatLease(clock), BeatLease(clock)
    assert one.is_ours()
    execute("UPDATE rollcall_beat_lease SET until = now() + %s::interval", end)
    assert other.is_ours()
    assert one.is_ours(), "it does not know yet"
    clock.now += RENEW_S
    assert not one.is_ours()
    one.give_back()
    assert Row.objects.count() == 1, "what another has is not given back"
