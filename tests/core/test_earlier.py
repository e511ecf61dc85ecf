"""Silence counts while a slot is served, across owners: random faults, a dead member, a live one.

The model writes rows as a node does (when a member is heard, late by up to ``NOTED_LATE_MS``; all
of them before a slot is given away), and each new owner has only these rows.
"""

from dataclasses import dataclass, field
from random import Random

import pytest

from groups.core.earlier import (
    KEPT_MAX,
    KEPT_MS,
    RETRY_MS,
    Earlier,
    Interruption,
    Noted,
    Service,
    interrupted,
)
from groups.store.sql.slots import UNKNOWN_MS

GRACE_MS = 40_000
LEASE_MS = 3_000
NOTED_LATE_MS = 1_000
BEAT_LATE_MS = 750
"""A node's clock is written with its beat, so that some of its last service is not counted."""


@dataclass
class Slot:
    """A slot, its rows, and one member. ``now`` is true time, ``clock`` the owner's clock."""

    timeout_ms: int
    now: int = 1_000_000
    clock: int = 50
    served_ms: int = 0
    is_noted: bool = False
    interruptions: tuple[Interruption, ...] = ()
    noted: Noted | None = None
    noted_at: int = 0
    starts: int = 0
    shift: int = 0
    heard: int = 0
    outages_ms: int = 0
    unheard: bool = False
    writes: bool = True
    heard_services: list[int] = field(default_factory=list)

    def load(self, away_ms: int, clock: int) -> None:
        """A new owner, whose clock is independent of the old one's."""
        self.now += away_ms
        self.outages_ms += away_ms
        grace_ms = GRACE_MS if away_ms > LEASE_MS else 0
        now = Interruption(self.served_ms, grace_ms, self.is_noted)
        self.interruptions = interrupted(self.interruptions, now)
        service = Service(self.served_ms - clock, self.interruptions)
        silences = {}
        if self.noted is not None:
            silences["m"] = Noted(self.now - self.noted_at, self.noted.since)
        beat = Earlier(service, silences, {}).beat("m", self.timeout_ms, clock)
        self.clock, self.shift, self.starts, self.unheard = clock, service.shift, beat.at, True
        self.since = beat.before.since if beat.before else beat.at

    def serve(self, ms: int, beats: list[int]) -> bool:
        """Serve for so long; ``beats``: when the member is heard. False: its session ended."""
        end, pending = self.clock + ms, None
        for at in [self.clock + beat for beat in beats]:
            if at >= self.starts + self.timeout_ms:
                return self._ended(self.starts + self.timeout_ms)
            if pending is not None and at - pending >= NOTED_LATE_MS:
                self._note(pending)
                pending = None
            self.starts = self.since = at
            pending = at if pending is None else pending
        if end >= self.starts + self.timeout_ms:
            return self._ended(self.starts + self.timeout_ms)
        if pending is not None and end - pending >= NOTED_LATE_MS:
            self._note(self.starts if self.starts <= end - NOTED_LATE_MS else pending)
        self.now += ms
        self.clock = end
        return True

    def _note(self, at: int) -> None:
        if not self.writes:
            return
        self.noted, self.noted_at = Noted(0, self.shift + at), self.now + at - self.clock

    def _ended(self, at: int) -> bool:
        self.now += at - self.clock
        self.clock = at
        return False

    def hand_over(self) -> None:
        """The owner writes all it knows, and releases the slot."""
        self.noted, self.noted_at = Noted(0, self.shift + self.since), self.now
        self.served_ms, self.is_noted = self.shift + self.clock, True

    def crash(self, late_ms: int) -> None:
        """The owner ends; another one sees its last beat."""
        self.served_ms = max(self.served_ms, self.shift + self.clock - late_ms)
        self.is_noted = False


def outage(rng: Random, slot: Slot) -> None:
    """An owner ends in some way, and another one follows."""
    clock = rng.randrange(10_000_000)
    if rng.random() < 0.5:
        slot.hand_over()
        slot.load(rng.choice([0, 50, 300, 5_000]), clock)
    else:
        slot.crash(rng.randrange(BEAT_LATE_MS))
        slot.load(rng.choice([500, 1_500, 2_900, 8_000, 60_000]), clock)


@pytest.mark.parametrize("timeout_ms", [6_000, 10_000, 45_000, 300_000])
def test_a_dead_member_is_removed_whatever_is_repeated(timeout_ms: int) -> None:
    for seed in range(150):
        rng = Random(f"{seed} dead {timeout_ms}")
        slot = Slot(timeout_ms)
        slot.load(0, 0)
        assert slot.serve(5_000, [1_000, 2_000, 3_000])
        died, outages_ms, faults = slot.now, slot.outages_ms, 0
        least = rng.choice([1_000, 2_000, 5_000])
        while slot.serve(rng.randrange(least, 3 * least), []):
            faults += 1
            outage(rng, slot)
        served = slot.now - died - (slot.outages_ms - outages_ms)
        uncounted = faults * BEAT_LATE_MS + RETRY_MS
        assert served <= timeout_ms + max(timeout_ms, GRACE_MS) + uncounted, (seed, faults)


def test_a_member_heard_after_the_last_note_has_a_session_from_the_crash() -> None:
    """The database hung, so nothing was noted for longer than a session, and the owner ended: it
    was removed within a session of being heard."""
    lost = Interruption(31_277, 0, is_noted=False)
    service = Service(0, (lost,))
    assert service.start(25_411, 3_000) == 31_277


def test_what_outlived_its_time_was_heard_of_also_after_a_time_to_reconnect() -> None:
    noted, lost = Interruption(5_000, GRACE_MS, True), Interruption(51_000, 0, is_noted=False)
    assert Service(0, (noted,)).start(0, 10_000) == 5_000 + GRACE_MS - 10_000
    assert Service(0, (noted, lost)).start(0, 10_000) == 51_000
    dead = lost._replace(at=44_000)
    assert Service(0, (noted, dead)).start(0, 10_000) == GRACE_MS, "at most one grace"


@pytest.mark.parametrize("timeout_ms", [6_000, 10_000, 45_000])
def test_a_live_member_is_never_removed_while_notes_are_lost(timeout_ms: int) -> None:
    """Each owner serves for longer than a session, so that only live members are left of it."""
    for seed in range(150):
        rng = Random(f"{seed} lost {timeout_ms}")
        slot = Slot(timeout_ms)
        slot.load(0, 0)
        assert slot.serve(5_000, [1_000])
        slot.writes = False
        for _ in range(10):
            slot.crash(rng.randrange(BEAT_LATE_MS))
            slot.load(rng.choice([50, 500, 2_900]), rng.randrange(10_000_000))
            ms = timeout_ms + rng.randrange(BEAT_LATE_MS, 2 * timeout_ms)
            beats = list(range(rng.randrange(1_000), ms, timeout_ms // 3))
            assert slot.serve(ms, beats), seed


@pytest.mark.parametrize("timeout_ms", [6_000, 10_000, 45_000])
def test_a_live_member_is_never_removed(timeout_ms: int) -> None:
    """It sends three times a session, and again a second after each interruption."""
    for seed in range(150):
        rng = Random(f"{seed} live {timeout_ms}")
        slot = Slot(timeout_ms)
        slot.load(0, 0)
        every = timeout_ms // 3
        for _ in range(60):
            ms = rng.choice([400, 1_500, 5_000, 20_000])
            beats = list(range(rng.randrange(1_000), ms, every))
            assert slot.serve(ms, beats), seed
            outage(rng, slot)


@pytest.mark.parametrize("timeout_ms", [6_000, 45_000])
def test_a_member_that_is_always_nearly_late_survives_one_fault(timeout_ms: int) -> None:
    """Its heartbeat before the fault was not noted, or was refused while nobody served."""
    for seed in range(150):
        rng = Random(f"{seed} late {timeout_ms}")
        slot = Slot(timeout_ms)
        slot.load(0, 0)
        every = timeout_ms - 100
        last = every * 3
        assert slot.serve(last + (left := rng.randrange(every)), [every, 2 * every, last])
        outage(rng, slot)
        assert slot.serve(every, [max(every - left, rng.randrange(RETRY_MS - 100))]), seed


def test_hand_overs_without_a_gap_add_nothing() -> None:
    slot = Slot(20_000)
    slot.load(0, 0)
    assert slot.serve(1_000, [1_000])
    died = slot.now
    for clock in range(1_000, 50_000, 1_000):
        if not slot.serve(1_700, []):
            break
        slot.hand_over()
        slot.load(20, clock * 7)
    assert 20_000 <= slot.now - died - slot.outages_ms <= 20_000 + RETRY_MS
    assert slot.outages_ms == 20 * 11, "it was traded so often"


def test_the_time_to_reconnect_comes_after_a_long_outage_and_once() -> None:
    slot = Slot(6_000)
    slot.load(0, 0)
    assert slot.serve(5_000, [1_000])
    served = 0
    for _ in range(100):
        slot.crash(0)
        slot.load(LEASE_MS + 1, 0)
        if not slot.serve(5_000, []):
            break
        served += 5_000
    assert served + slot.clock == GRACE_MS


def test_a_member_without_a_note_was_heard_until_the_end() -> None:
    service = Service(-100, (Interruption(1_000, 0, is_noted=False),))
    beat = Earlier(service, {}, {}).beat("m", 6_000, 1_100)
    assert beat.at == beat.heard_at == 1_100


def test_a_note_from_before_a_jump_of_the_service_time_says_nothing() -> None:
    """A node of an older version served meanwhile, or the database was restored."""
    end = 50_000 + UNKNOWN_MS
    service = Service(-100, (Interruption(end, GRACE_MS, is_noted=False),))
    known = Earlier(service, {"m": Noted(70_000, 47_000)}, {"join/1": 47_000})
    beat = known.beat("m", 6_000, end + 100)
    assert beat.at == end + 100 + GRACE_MS - 6_000
    assert known.wait("join/1", 10_000, end + 100) == end + 100


def test_what_was_really_heard_is_kept_until_the_next_heartbeat() -> None:
    service = Service(-100, (Interruption(50_000, GRACE_MS, is_noted=False),))
    beat = Earlier(service, {"m": Noted(70_000, 47_000)}, {}).beat("m", 6_000, 50_100)
    assert beat.at == 50_100 + GRACE_MS - 6_000, "it has time to reconnect"
    assert beat.heard_at == 50_100 - 70_000
    beat.at = 51_000
    assert beat.heard_at == 51_000 and beat.silence is None


def test_a_failed_load_is_no_second_interruption() -> None:
    once = interrupted((), Interruption(5, 0, is_noted=True))
    again = interrupted(once, Interruption(5, GRACE_MS, is_noted=False))
    assert again == (Interruption(5, GRACE_MS, is_noted=False),)


def test_old_interruptions_are_dropped() -> None:
    kept: tuple[Interruption, ...] = ()
    for at in range(2 * KEPT_MAX):
        kept = interrupted(kept, Interruption(at, 0, is_noted=True))
    assert [kept[0].at, kept[-1].at, len(kept)] == [KEPT_MAX, 2 * KEPT_MAX - 1, KEPT_MAX]
    last = Interruption(kept[-1].at + KEPT_MS, 0, is_noted=True)
    assert interrupted(kept, last) == (kept[-1], last)
