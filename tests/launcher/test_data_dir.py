"""The data folder: one launcher's, and what a start leaves there when the disk is full."""

import fcntl
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from launcher import data_dir as places
from launcher.errors import LaunchError
from launcher.signals import Signals


@pytest.fixture
def data(tmp_path: Path) -> places.DataDir:
    made = places.DataDir(tmp_path / "data")
    made.make()
    return made


@contextmanager
def full_disk() -> Iterator[None]:
    """Nothing can be written to any file of this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def files(data: places.DataDir) -> set[str]:
    return {path.name for path in data.path.rglob("*") if path.is_file()}


def test_a_launcher_waits_for_another_one_that_stops_and_says_so(data: places.DataDir) -> None:
    """Only its ``make`` was killed: it stops by itself, and PostgreSQL with it."""
    said: list[str] = []
    with open(data.path / "lock", "w", encoding="ascii") as other:
        other.write("4711\n")
        other.flush()
        fcntl.flock(other, fcntl.LOCK_EX)
        pauses = iter([lambda: None, other.close])

        with places.lock(data, said.append, lambda _seconds: next(pauses)()) as taken:
            assert said == ["waiting at most 10 s for another Rollcall (pid 4711) to stop"]
            taken.seek(0)
            assert taken.read() != "4711\n"
    assert next(pauses, None) is None


def test_a_launcher_does_not_wait_for_one_that_goes_on(
    data: places.DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "LOCK_WAIT_S", 0.0)
    with (
        places.lock(data, lambda _text: None),
        pytest.raises(LaunchError, match=r"Another Rollcall \(pid \d+\) uses"),
    ):
        places.lock(data, lambda _text: None)


def test_a_launcher_that_waits_can_be_stopped(data: places.DataDir) -> None:
    signals = Signals()
    signals.stop_requested = True
    with places.lock(data, lambda _text: None), pytest.raises(LaunchError, match="stopped"):
        places.lock(data, lambda _text: None, signals.pause)


def test_a_full_disk_is_a_sentence_and_leaves_nothing_behind(data: places.DataDir) -> None:
    with places.lock(data, lambda _text: None):
        before = files(data)
        with full_disk(), pytest.raises(LaunchError, match="database-url cannot be written"):
            places.write_private(data.url_file, "postgresql://somewhere\n")
        assert files(data) == before

        places.write_private(data.url_file, "postgresql://somewhere\n")
        assert files(data) == before | {"database-url"}


def test_a_disk_that_is_full_before_the_lock_is_a_sentence_too(data: places.DataDir) -> None:
    with full_disk(), pytest.raises(LaunchError, match="data directory cannot be written"):
        places.lock(data, lambda _text: None)
    with places.lock(data, lambda _text: None):
        pass
