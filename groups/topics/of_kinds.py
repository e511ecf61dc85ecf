"""What sends changes of the catalogue to groups of a kind that is a plug-in."""

from importlib import import_module
from typing import Any, Final

from groups.catalogue.cache import Catalogue
from groups.core.kinds import COMMANDED, DRAFT, KINDS
from groups.runtime.runtime import CoordinatorRuntime
from groups.topics.topic_updates import TopicUpdates

FOLLOWERS: Final = {
    DRAFT: ("groups.topics.draft_topics", "DraftTopics"),
    COMMANDED: ("groups.topics.commanded_topics", "CommandedTopics"),
}
"""Module and class, imported if the kind exists."""


class NoTopics(TopicUpdates[Any]):
    """There are no groups of the kind."""

    async def run(self) -> None:
        """Nothing is compared."""


def topics_of(
    kind: str, coordinator: CoordinatorRuntime, catalogue: Catalogue
) -> TopicUpdates[Any]:
    """The kind's follower of the catalogue."""
    if kind not in KINDS:
        return NoTopics(coordinator, catalogue)
    module, name = FOLLOWERS[kind]
    made: TopicUpdates[Any] = getattr(import_module(module), name)(coordinator, catalogue)
    return made
