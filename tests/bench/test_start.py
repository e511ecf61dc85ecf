"""The benchmark of starts: it waits for answers, and reports when nothing serves."""

import socket
import threading

from benchmarks import start


def test_an_unanswered_probe_gives_an_empty_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        threading.Thread(target=lambda: silent.accept()[0].close(), daemon=True).start()
        assert start.answer(address, start.API_VERSIONS) == b""
    assert start.answer(address, start.API_VERSIONS) == b""


def test_the_figures_of_several_rounds_are_printed_with_their_spread() -> None:
    rounds = [
        start.Round(start.Started(at, at + 1, 2.0), start.Started(1.0, 1.0, 1.0), 200.0, 0.5)
        for at in (3.0, 5.0, 4.0)
    ]

    printed = start.summary(rounds)

    fresh = "fresh 4.0 (3.0 to 5.0) s, all of it 5.0 (4.0 to 6.0) s (CPU 2.0 (2.0 to 2.0) s)"
    assert printed.startswith(f"{fresh}; again 1.0")
    assert "200 (200 to 200) MiB with 500 members" in printed
    assert "kill -9 0.5 (0.5 to 0.5) s" in printed
