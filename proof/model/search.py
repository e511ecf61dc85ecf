"""Breadth-first search of every reachable state: the first broken one has the shortest trace."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from proof.model.fencing import Model, State


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``states``: how many were seen; ``broken``: the violation, "" if all states are correct;
    ``story``: the shortest trace to it."""

    states: int
    broken: str
    story: Sequence[str]


def search(model: Model) -> SearchResult:
    """Search all reachable states, or up to the first violation."""
    first = model.first()
    came_from: dict[State, tuple[str, State] | None] = {first: None}
    waiting = deque([first])
    while waiting:
        state = waiting.popleft()
        for step, after in model.after(state):
            if after in came_from:
                continue
            came_from[after] = (step, state)
            if after.broken:
                return SearchResult(len(came_from), after.broken, _path_to(came_from, after))
            waiting.append(after)
    return SearchResult(len(came_from), "", ())


def _path_to(came_from: dict[State, tuple[str, State] | None], end: State) -> list[str]:
    story = []
    step = came_from[end]
    while step is not None:
        story.append(step[0])
        step = came_from[step[1]]
    return story[::-1]
