"""The committed heartbeat views of a node's groups, and the watchers of their changes.

The fast path reads the views, held heartbeats watch them. No rule and no I/O: the group defines the
content of a view, the watcher handles its changes.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final, Protocol

from groups.core.group import HeartbeatView

AT_ONCE: Final = 200
"""Watchers that are called during the replacement of a view: each answers a heartbeat, which takes
20 us. More are called in the next turns of the event loop, so many in each."""


class Watcher(Protocol):
    """Is called when a view changes. Compared by identity."""

    def view_changed(self) -> None:
        """The view was replaced or dropped, or the lease is over. Called during the replacement or
        soon after: it must neither wait nor raise."""
        ...

    def topics_changed(self) -> bool:
        """The catalogue has changed: whether the group decides again now, since its topics are
        others. Must neither wait nor raise."""
        ...


class Watchers:
    """Who waits for a change of groups, by group id."""

    __slots__ = ("_watchers",)

    def __init__(self) -> None:
        self._watchers: dict[str, dict[Watcher, None]] = {}  # in order of registration

    def watch(self, group_id: str, watcher: Watcher) -> None:
        """Call the watcher at every change, until ``unwatch``."""
        self._watchers.setdefault(group_id, {})[watcher] = None

    def unwatch(self, group_id: str, watcher: Watcher) -> None:
        """Do not call it any more; no effect if it was not registered."""
        watching = self._watchers.get(group_id)
        if watching is None:
            return
        watching.pop(watcher, None)
        if not watching:
            del self._watchers[group_id]

    def watched(self) -> Sequence[str]:
        """The groups that have a watcher now."""
        return list(self._watchers)

    def notify(self, group_id: str) -> None:
        """What they wait for has changed."""
        if watching := self._watchers.get(group_id):
            self._notify(group_id, tuple(watching))

    def _notify(self, group_id: str, watchers: Sequence[Watcher]) -> None:
        """Call these, as far as they still watch."""
        for watcher in watchers[:AT_ONCE]:
            if watcher in self._watchers.get(group_id, ()):
                watcher.view_changed()
        if rest := watchers[AT_ONCE:]:
            asyncio.get_running_loop().call_soon(partial(self._notify, group_id, rest))


class HeartbeatViews(Watchers):
    """Views by group id. ``swaps`` counts the changes of all views: while it is unchanged, what was
    read before is still valid."""

    __slots__ = ("_views", "swaps")

    def __init__(self) -> None:
        super().__init__()
        self.swaps = 0
        self._views: dict[str, HeartbeatView] = {}

    def get(self, group_id: str) -> HeartbeatView | None:
        """The current view; None: no heartbeat can be answered without a step."""
        return self._views.get(group_id)

    def __getitem__(self, group_id: str) -> HeartbeatView:
        return self._views[group_id]

    def __contains__(self, group_id: object) -> bool:
        return group_id in self._views

    def put(self, group_id: str, view: HeartbeatView) -> None:
        """Replace the view of a group."""
        self._views[group_id] = view
        self._swapped(group_id)

    def drop(self, group_id: str) -> None:
        """Remove the view of a group."""
        if self._views.pop(group_id, None) is not None:
            self._swapped(group_id)

    def _swapped(self, group_id: str) -> None:
        self.swaps += 1
        self.notify(group_id)

    def look_again(self) -> None:
        """Values that were read before are not valid any more: access rules have changed."""
        self.swaps += 1

    def notify_one_of_topics(self, group_id: str) -> None:
        """Tell one watcher of the group that the catalogue has changed: the first by which the
        group decides again."""
        any(watcher.topics_changed() for watcher in tuple(self._watchers.get(group_id, ())))

    def notify_all(self) -> None:
        """The lease is over: no view may be valid any more."""
        for watching in list(self._watchers.values()):
            for watcher in tuple(watching):
                watcher.view_changed()
