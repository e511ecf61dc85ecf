"""What of a run of chaos is a violation; `make test-chaos` is a short run, and judges it so."""

from proof.chaos.audit import violations


def test_an_unexpected_error_code_is_a_violation() -> None:
    assert violations(["Heartbeat was answered -1"], []) == ["strange: Heartbeat was answered -1"]


def test_a_traceback_in_a_nodes_log_is_a_violation() -> None:
    """A traceback of the worker does not count: it runs again."""
    log = [f"{who} | ERROR Traceback (most recent call last)\n" for who in ("node 1", "worker")]
    [said] = violations([], log)
    assert said.startswith("a process said: node 1")


def test_a_node_that_starts_without_its_database_is_expected_to_end() -> None:
    """It says so in a sentence (``tests/docker``), and the supervisor starts it again; a traceback
    is always a surprise."""
    why = "node 1 | CRITICAL the node ended: pool initialization incomplete after 3 sec\n"
    trace = "node 1 | Traceback (most recent call last):\n"
    assert violations([], [why]) == []
    assert len(violations([], [why, trace])) == 1
    assert len(violations([], ["node 1 | CRITICAL the node ended: KeyError\n", trace])) == 1
