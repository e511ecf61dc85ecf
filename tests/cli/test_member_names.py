"""The member that a command means: by every name that a sentence uses."""

from typing import Any

import pytest

from rollcall.cli.member_names import candidates

UUID = "0af1{:04}-1111-4222-8333-444455556666"


def member(number: int, client_id: str, instance_id: str | None = None, before: str = "") -> Any:
    member_id = before + UUID.format(number)
    return {"member_id": member_id, "client_id": client_id, "instance_id": instance_id}


ANNA = member(1, "anna", before="anna-")
BEN = member(2, "ben", before="ben-")
BEN_TOO = member(3, "ben", before="ben-")
STATIC = member(4, "worker", instance_id="i-4")
ODD = member(5, "i-4")
NAMELESS = member(6, "")
ALL = [ANNA, BEN, BEN_TOO, STATIC, ODD, NAMELESS]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (ANNA["member_id"], [ANNA]),
        ("anna", [ANNA]),
        ("ben", [BEN, BEN_TOO]),
        ("ben (0af10002)", [BEN]),
        ("worker", [STATIC]),
        ("i-4", [STATIC]),  # an instance id comes before a client id
        ("member 0af10006", [NAMELESS]),
        ("Anna", []),
        ("ann", []),
        ("", []),
        ("ben (0af10009)", []),
    ],
)
def test_a_member_is_found_by_its_names(text: str, found: list[Any]) -> None:
    assert candidates(ALL, text) == found
