"""A change of protocol in plain words: who stayed, and by whose coming or going."""

from console.queries.journal_text import sentence
from groups.models import Journal


def converted(to: str, members: int, trigger: str, reason: str) -> Journal:
    """An entry as the rules write it."""
    return Journal(
        kind="group-converted", trigger=trigger, reason=reason, client_id="billing", left=[],
        details={"to": to, "members": members},
    )  # fmt: skip


def test_an_upgrade_names_the_joining_member_and_counts_the_others() -> None:
    entry = converted("consumer", 3, "member-joined", "a member of the consumer protocol joined")
    assert sentence(entry) == (
        "The group now uses the consumer protocol, because member billing joined; 3 members stayed."
    )


def test_an_upgrade_of_an_empty_group_counts_no_others() -> None:
    entry = converted(
        "classic", 0, "member-joined", "a member of the classic protocol joined the empty group"
    )
    assert sentence(entry) == (
        "The group now uses the classic protocol, because member billing joined."
    )


def test_a_downgrade_names_the_member_that_left() -> None:
    entry = converted(
        "classic", 1, "member-left", "the last member of the consumer protocol has gone"
    )
    assert sentence(entry) == (
        "The group now uses the classic protocol, because member billing left; 1 member stayed."
    )
