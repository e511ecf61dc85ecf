"""How often a member asks which topics there are, where only it knows its pattern."""

from typing import Any

from groups.core.draft.group import DraftGroup
from rollcall.client.core.draft import DraftMachine
from rollcall.client.core.events import LookUp
from tests.client_library.test_deadlines import machine, world_of


class Counting(DraftMachine):
    """Counts its requests."""

    looked = 0

    def take(self, event: Any, now: int) -> Any:
        """As ever."""
        effects = super().take(event, now)
        self.looked += sum(isinstance(effect, LookUp) for effect in effects)
        return effects


def test_topics_of_a_pattern_are_looked_up_once_in_a_metadata_age() -> None:
    world = world_of(DraftGroup)
    member = machine(Counting, "anna")
    anna = world.add("anna", member, pattern="t.*")
    world.sleep(10_000, honest=True)
    assert len(anna.owned) == 4
    before, ages = member.looked, 3

    world.sleep(ages * member.identity.metadata_max_age_ms, honest=True)

    assert ages - 1 <= member.looked - before <= ages + 1
