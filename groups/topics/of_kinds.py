"""What sends changes of the catalogue to groups of a kind that is a plug-in."""

from collections.abc import Mapping
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


def followers(
    coordinator: CoordinatorRuntime, catalogue: Catalogue
) -> Mapping[str, TopicUpdates[Any]]:
    """Those of the kinds that exist, by kind."""
    return {
        kind: getattr(import_module(module), name)(coordinator, catalogue)
        for kind, (module, name) in FOLLOWERS.items()
        if kind in KINDS
    }
