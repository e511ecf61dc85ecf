"""Whose slots gave no echo: judged by what one process has seen without a break."""

from groups.sweeps.unanswered_probes import GAP_MS, SLOW_LOOK_MS, UnansweredProbe, UnansweredProbes

LEASE_MS = 3_000
QUESTION = UnansweredProbe(slot=5, epoch=1, probe=9)


def observe(
    silences: UnansweredProbes, *at: int, question: UnansweredProbe = QUESTION
) -> list[list[UnansweredProbe]]:
    """Look at these instants, each answered at once."""
    return [silences.look([question], now, now) for now in at]


def test_a_probe_open_for_a_full_lease_is_silence() -> None:
    assert observe(UnansweredProbes(LEASE_MS), 0, 1_000, 2_000, 2_999, 3_000) == [
        [],
        [],
        [],
        [],
        [QUESTION],
    ]


def test_an_answer_restarts_the_count() -> None:
    silences = UnansweredProbes(LEASE_MS)
    observe(silences, 0, 2_000)
    silences.look([], 2_500, 2_500)

    assert observe(silences, 3_000, 5_000, 6_000) == [[], [], [QUESTION]]


def test_another_owner_is_probed_again() -> None:
    silences = UnansweredProbes(LEASE_MS)
    observe(silences, 0, 2_000)

    assert observe(silences, 3_000, question=UnansweredProbe(5, epoch=2, probe=9)) == [[]]


def test_a_suspended_process_has_observed_nothing() -> None:
    silences = UnansweredProbes(LEASE_MS)
    observe(silences, 0, 1_000)
    back = 1_000 + GAP_MS + 1

    assert observe(silences, back, back + 2_000, back + LEASE_MS) == [[], [], [QUESTION]]


def test_a_failed_sweep_interrupts_the_count() -> None:
    silences = UnansweredProbes(LEASE_MS)
    observe(silences, 0, 1_000, 2_000)
    silences.forget()

    assert observe(silences, 3_000, 5_000, 6_000) == [[], [], [QUESTION]]


def test_a_slow_sweep_counts_from_its_end() -> None:
    silences = UnansweredProbes(LEASE_MS)
    observe(silences, 0, 1_000, 2_000)
    slow_end = 3_000 + SLOW_LOOK_MS + 1
    assert silences.look([QUESTION], 3_000, slow_end) == []

    assert observe(silences, slow_end + 1_500, slow_end + LEASE_MS) == [[], [QUESTION]]
