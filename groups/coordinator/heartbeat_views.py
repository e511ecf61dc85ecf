"""The committed heartbeat views of a node's groups, and who wants to hear when one is swapped.

The fast path reads here, held heartbeats wait here. No rule and no I/O: what a view says is the
group's own business, what follows from a swap is the watcher's.
"""

from typing import Protocol

from groups.core.group import HeartbeatView


class Watcher(Protocol):
    """Somebody for whom a swap may be news. Compared by identity."""

    def view_changed(self) -> None:
        """The view was swapped or dropped, or the lease is over. Called inside the swap: it must
        neither wait nor raise."""
        ...


class HeartbeatViews:
    """Views by group id. ``swaps`` counts every change of any of them: while it stands still, what
    was read here before is still so."""

    __slots__ = ("_views", "_watchers", "swaps")

    def __init__(self) -> None:
        self.swaps = 0
        self._views: dict[str, HeartbeatView] = {}
        self._watchers: dict[str, dict[Watcher, None]] = {}  # in the order of their coming

    def get(self, group_id: str) -> HeartbeatView | None:
        """The view that may be shown now; None: nothing may be said without a step."""
        return self._views.get(group_id)

    def __getitem__(self, group_id: str) -> HeartbeatView:
        return self._views[group_id]

    def __contains__(self, group_id: object) -> bool:
        return group_id in self._views

    def put(self, group_id: str, view: HeartbeatView) -> None:
        """Show this view from now on."""
        self._views[group_id] = view
        self._swapped(group_id)

    def drop(self, group_id: str) -> None:
        """Show none from now on."""
        if self._views.pop(group_id, None) is not None:
            self._swapped(group_id)

    def _swapped(self, group_id: str) -> None:
        self.swaps += 1
        for watcher in tuple(self._watchers.get(group_id, ())):
            watcher.view_changed()

    def look_again(self) -> None:
        """What was read here before may not be said any more: access rules have changed."""
        self.swaps += 1

    # -- who wants to hear

    def watch(self, group_id: str, watcher: Watcher) -> None:
        """Tell the watcher of every swap, until ``unwatch``."""
        self._watchers.setdefault(group_id, {})[watcher] = None

    def unwatch(self, group_id: str, watcher: Watcher) -> None:
        """Tell it no more; nothing happens where it was not told."""
        watching = self._watchers.get(group_id)
        if watching is None:
            return
        watching.pop(watcher, None)
        if not watching:
            del self._watchers[group_id]

    def tell_all(self) -> None:
        """The lease is over: what was true of every view may not be so any more."""
        for watching in list(self._watchers.values()):
            for watcher in tuple(watching):
                watcher.view_changed()
