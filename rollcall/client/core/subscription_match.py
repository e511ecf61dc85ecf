"""The existing topics that match a subscription: for members that match patterns themselves."""

import re
from collections.abc import Iterable

from rollcall.client.core.events import Subscription


def topics_wanted(subscription: Subscription, known: Iterable[str]) -> tuple[str, ...]:
    """The topics by name; a pattern matches among those that exist."""
    matching: set[str] = set()
    if subscription.pattern is not None:
        whole = re.compile(subscription.pattern)
        matching = {name for name in known if whole.fullmatch(name)}
    return tuple(sorted({*subscription.topics, *matching}))
