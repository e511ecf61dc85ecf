"""Who sits on which connection."""

from protocol.connection.draft_connections import Seats


def test_a_consumer_is_found_on_its_last_connection() -> None:
    seats = Seats()
    seats.take(1, "g", "a")
    seats.take(1, "g", "b")
    seats.take(2, "g", "a")
    assert seats.taken_by("g", ["a"]) == {2}
    assert seats.taken_by("g", ["a", "b", "nobody"]) == {1, 2}
    assert seats.taken_by("other", ["a"]) == set()
    assert (seats.on(1), seats.on(2), seats.on(3)) == ((("g", "b"),), (("g", "a"),), ())


def test_nothing_remains_of_a_closed_connection() -> None:
    seats = Seats()
    seats.take(1, "g", "a")
    seats.take(2, "g", "a")
    seats.leave(1)
    assert seats.taken_by("g", ["a"]) == {2}
    seats.leave(2)
    seats.leave(2)
    assert len(seats) == 0


def test_a_consumer_without_an_id_has_no_connection() -> None:
    seats = Seats()
    seats.take(1, "g", "")
    assert len(seats) == 0
