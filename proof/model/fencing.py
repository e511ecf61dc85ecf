"""Lease, takeover and write as a state machine with every interleaving.

One group in one slot. Nodes take the slot at any time (a lease may end at any moment, since
correctness does not depend on it); each node has tasks that read the row, decide, and write. A
paused process is one that is not scheduled, a crashed one loses its tasks, and a commit whose reply
is lost is a write with an unknown outcome. The variant decides what guards the write.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar


class Task(NamedTuple):
    """One writer. ``step``: 0 idle, 1 has read, 2 got the reply "written", 3 has passed a check
    that is not part of the write, 4 holds the slot's lock inside its transaction."""

    step: int = 0
    epoch: int = 0
    revision: int = 0
    generation: int = 0


IDLE: Final = Task()


class State(NamedTuple):
    """The whole state. ``owner`` and ``epoch`` are the slot's row, ``generation`` and ``revision``
    the group's; ``held`` is what each node believes its epoch to be (0: not the owner);
    ``answered`` are the generations that a member got in a response, ``broken`` the violation, if
    any."""

    owner: int
    epoch: int
    generation: int
    revision: int
    held: tuple[int, ...]
    tasks: tuple[tuple[Task, ...], ...]
    answered: tuple[int, ...] = ()
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """How a write is guarded, and when it is answered.

    ``checks_owner``: by the owner's id alone. ``checks_first``: a SELECT before the write instead
    of a condition inside it. ``lock`` "share" blocks takeovers until the commit; "key share" does
    not. ``answers_unknown``: a write whose reply was lost is answered as successful.
    """

    checks_epoch: bool = True
    checks_revision: bool = True
    checks_owner: bool = False
    checks_first: bool = False
    lock: str = "share"
    answers_first: bool = False
    answers_unknown: bool = False


VARIANTS: Final[Mapping[str, Variant]] = {
    "as built": Variant(),
    "no guard": Variant(checks_epoch=False, checks_revision=False),
    "owner only": Variant(checks_epoch=False, checks_revision=False, checks_owner=True),
    "epoch only": Variant(checks_revision=False),
    "revision only": Variant(checks_epoch=False),
    "select, then update": Variant(checks_first=True),
    "key share": Variant(lock="key share"),
    "answer before commit": Variant(answers_first=True),
    "unknown taken for done": Variant(answers_unknown=True),
}
"""The variant that is built, and others, to show why they are not: each of those breaks."""


@dataclass(frozen=True, slots=True)
class Model:
    """Bounds of the search: nodes, tasks of each, takeovers and writes."""

    variant: Variant
    nodes: int = 2
    tasks: int = 2
    epochs: int = 3
    generations: int = 3

    def first(self) -> State:
        """The slot has no owner; the group is new."""
        idle = tuple((IDLE,) * self.tasks for _ in range(self.nodes))
        return State(-1, 1, 1, 1, (0,) * self.nodes, idle)

    def after(self, state: State) -> Iterator[tuple[str, State]]:
        """Every possible step, and the state after it."""
        for node in range(self.nodes):
            yield from self._of_node(state, node)
            for number, task in enumerate(state.tasks[node]):
                for act in ACTS[task.step]:
                    yield from act(self, state, node, number, task)

    def _of_node(self, state: State, node: int) -> Iterator[tuple[str, State]]:
        locked = any(task.step == 4 for tasks in state.tasks for task in tasks)
        holds_off = locked and self.variant.lock == "share"
        if state.epoch < self.epochs and not holds_off:
            epoch = state.epoch + 1
            held = _put(state.held, node, epoch)
            yield f"node {node} takes over", state._replace(owner=node, epoch=epoch, held=held)
        if state.held[node]:
            tasks = _put(state.tasks, node, (IDLE,) * self.tasks)
            held = _put(state.held, node, 0)
            yield f"node {node} crashes", state._replace(held=held, tasks=tasks)


Moves = Iterator[tuple[str, State]]
Act = Callable[[Model, State, int, int, Task], Moves]


T = TypeVar("T")


def _put(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    return (*items[:at], item, *items[at + 1 :])


def _with(state: State, node: int, number: int, task: Task) -> State:
    tasks = _put(state.tasks, node, _put(state.tasks[node], number, task))
    return state._replace(tasks=tasks)


def _read(model: Model, state: State, node: int, number: int, task: Task) -> Moves:
    """The node that believes it is the owner reads the rows and decides the next generation."""
    if state.held[node] and state.generation < model.generations:
        seen = Task(1, state.held[node], state.revision, state.generation + 1)
        yield (
            f"node {node} task {number} reads revision {state.revision}",
            _with(state, node, number, seen),
        )


def _is_right(variant: Variant, state: State, node: int, task: Task) -> bool:
    return (
        (not variant.checks_epoch or state.epoch == task.epoch)
        and (not variant.checks_revision or state.revision == task.revision)
        and (not variant.checks_owner or state.owner == node)
    )


def _begin(model: Model, state: State, node: int, number: int, task: Task) -> Moves:
    """The guard: it takes its lock and compares; on a mismatch it fails, and the task starts over.

    Rows of the group are locked too, so that the second of two writers waits; the variant decides
    about the lock on the slot.
    """
    locked = any(other.step == 4 for tasks in state.tasks for other in tasks)
    if locked:
        return
    who = f"node {node} task {number}"
    if not _is_right(model.variant, state, node, task):
        yield f"{who} is fenced", _with(state, node, number, IDLE)
        return
    step = 3 if model.variant.checks_first else 4
    after = _with(state, node, number, task._replace(step=step))
    if model.variant.answers_first:
        after = _answered(after, task.generation)
    yield f"{who} passes the guard", after


def _write_unguarded(model: Model, state: State, node: int, number: int, task: Task) -> Moves:
    if any(other.step == 4 for tasks in state.tasks for other in tasks):
        return
    yield from _commit(model, state, node, number, task)


def _commit(model: Model, state: State, node: int, number: int, task: Task) -> Moves:
    """COMMIT: the rows change, and the reply arrives or is lost; or all is rolled back."""
    who = f"node {node} task {number}"
    broken = state.broken
    if state.epoch != task.epoch:
        broken = f"a write under epoch {task.epoch} landed in epoch {state.epoch}"
    elif state.generation >= task.generation:
        broken = f"generation {task.generation} was written over {state.generation}"
    written = state._replace(generation=task.generation, revision=state.revision + 1, broken=broken)
    yield f"{who} commits", _with(written, node, number, task._replace(step=2))
    yield f"{who} commits, and the reply is lost", _unknown(model, written, node, number, task)
    yield f"{who} is rolled back", _unknown(model, state, node, number, task)


def _unknown(model: Model, state: State, node: int, number: int, task: Task) -> State:
    after = _with(state, node, number, IDLE)
    return _answered(after, task.generation) if model.variant.answers_unknown else after


def _answer(model: Model, state: State, node: int, number: int, task: Task) -> Moves:
    """After the commit a member gets the generation in a response."""
    after = _answered(state, task.generation)
    yield f"node {node} task {number} answers", _with(after, node, number, IDLE)


def _answered(state: State, generation: int) -> State:
    if state.broken:
        return state
    if generation in state.answered:
        return state._replace(broken=f"generation {generation} was given out twice")
    broken = "" if state.generation >= generation else f"{generation} was told, but not stored"
    return state._replace(answered=tuple(sorted((*state.answered, generation))), broken=broken)


ACTS: Final[Mapping[int, tuple[Act, ...]]] = {
    0: (_read,),
    1: (_begin,),
    2: (_answer,),
    3: (_write_unguarded,),
    4: (_commit,),
}
"""What a task may do at each of its steps."""
