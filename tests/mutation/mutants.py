"""Which mutants there are, and in which order a sample takes them.

A mutant is known by what is changed and where in words: file, function, operator and the text of
the line, not its number. So a sample stays the same, and an accepted survivor stays accepted, while
other lines change.
"""

import ast
import difflib
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from tests.mutation.operators import OPERATORS

Place = tuple[int, int]

OF_DEFAULTS = (
    *("NumberReplacer", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    "ReplaceUnaryOperator_Delete_USub",
)
"""What would change the default of a field, which who makes one mostly says."""

INVARIANTS = frozenset(
    {
        *("check_step", "check_change", "check_row", "check_owners"),
        *("_check_same_generation", "_check_handed_over"),
    }
)
"""Functions by which tests judge the rules. That they find what is wrong is shown by
``proof/saboteurs``."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file; ``occurrence`` is cosmic-ray's count of the operator's places."""

    path: str
    line: int
    function: str
    operator: str
    occurrence: int
    name: str
    """Unlike that of every other mutant, and without the number of a line."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.operator}"


def mutants_of(root: Path, path: str) -> list[Mutant]:
    """Every mutant of a file, without those of excluded statements."""
    source = (root / path).read_text()
    lines, tree = source.splitlines(), ast.parse(source)
    left_out, functions = [*_left_out(tree), *_constants(tree)], list(_functions(tree))
    fields = list(_fields(tree))
    found, names = [], Counter[str]()
    for operator, occurrence, start in _places(source):
        if _is_in(start, left_out) or (operator in OF_DEFAULTS and _is_in(start, fields)):
            continue
        function = _function(start, functions)
        text = lines[start[0] - 1]
        column = start[1] - (len(text) - len(text.lstrip()))
        words = f"{path} {function} {operator} {column} {text.strip()}"
        names[words] += 1
        name = f"{words} #{names[words]}"
        found.append(Mutant(path, start[0], function, operator, occurrence, name))
    return found


def _places(source: str) -> Iterator[tuple[str, int, Place]]:
    nodes = list(ast_nodes(get_ast(source)))
    for name, operator in OPERATORS.items():
        places = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (start, _end) in enumerate(places):
            yield name, occurrence, start


def mutated(source: str, mutant: Mutant) -> str | None:
    """The file's text with the change; None where that is no Python, or means the same."""
    changed: str | None = mutate_code(source, OPERATORS[mutant.operator], mutant.occurrence)
    try:
        if changed is None or ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source)):
            return None
    except SyntaxError:
        return None
    return changed


def diff(source: str, changed: str) -> tuple[str, str]:
    """What the changed lines were, and what they are; without their indentation."""
    before, after = [], []
    for line in difflib.ndiff(source.splitlines(), changed.splitlines()):
        if line.startswith("- "):
            before.append(line[2:].strip())
        elif line.startswith("+ "):
            after.append(line[2:].strip())
    return " ".join(before), " ".join(after)


def spread(mutants: Iterable[Mutant], seed: int) -> list[Mutant]:
    """All of them in the order of a sample: one of each file, then another of each."""

    def drawn(mutant: Mutant) -> str:
        return hashlib.sha256(f"{seed} {mutant.name}".encode()).hexdigest()

    files: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in sorted(mutants, key=drawn):
        files[mutant.path].append(mutant)
    rounds = zip_longest(*(files[path] for path in sorted(files, key=lambda p: drawn(files[p][0]))))
    return [mutant for turn in rounds for mutant in turn if mutant is not None]


# -- what is left out


def _left_out(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    for node in ast.walk(tree):
        for part in _no_behaviour(node):
            yield _span(part)
    for node in tree.body:  # a name for a type
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp | ast.Subscript):
            if isinstance(node.targets[0], ast.Name) and not node.targets[0].id.isupper():
                yield _span(node)


def _no_behaviour(node: ast.AST) -> Sequence[ast.AST]:
    """Annotations, docstrings, what only mypy reads, and assertions, which tell mypy what is so;
    how a dataclass is made; texts, and what is logged."""
    match node:
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            return [annotation]
        case ast.FunctionDef(body=[*_, ast.Expr(value=ast.Constant(value=value))]) if value is ...:
            return [node]  # of a protocol
        case ast.FunctionDef(body=[*_, ast.Raise(exc=ast.Name(id="NotImplementedError"))]):
            return [node]
        case ast.FunctionDef(name=name) if name in INVARIANTS:
            return [node]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, *([node.returns] if node.returns else ())]
        case ast.ClassDef():
            return node.decorator_list
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assert() | ast.JoinedStr():
            return [node]
        case ast.Expr(value=ast.Constant()):
            return [node]
        case ast.Call():
            return _no_behaviour_of_a_call(node)
    return []


def _no_behaviour_of_a_call(node: ast.Call) -> Sequence[ast.AST]:
    """What is logged; names of types; ``strict`` of a zip of what has one length anyway."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="logger"))):
            return [node]
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, types]):
            return [types]
        case ast.Call(func=ast.Name(id="cast" | "TypeVar" | "NewType")):
            return [node.args[0]]
        case ast.Call(func=ast.Name(id="zip")):
            return node.keywords
    return []


def _constants(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    """Sizes and times of a module (``LOADS_MAX = 3``): measured, and one more is as good."""
    for node in tree.body:
        target = getattr(node, "target", None) or next(iter(getattr(node, "targets", [])), None)
        if isinstance(target, ast.Name) and target.id.isupper():
            if _is_number(getattr(node, "value", None)):
                yield _span(node)


def _fields(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    """The default of a class's field (``attempts: int = 0``)."""
    for one in ast.walk(tree):
        if isinstance(one, ast.ClassDef):
            yield from (_span(node) for node in one.body if isinstance(node, ast.AnnAssign))


def _is_number(node: Any) -> bool:
    match node:
        case ast.Constant(value=int() | float()):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
    return False


def _functions(tree: ast.AST, within: str = "") -> Iterator[tuple[Place, Place, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{within}.{node.name}" if within else node.name
            yield *_span(node), name
            yield from _functions(node, name)


def _function(place: Place, functions: Iterable[tuple[Place, Place, str]]) -> str:
    """The innermost one comes last."""
    around = [name for start, end, name in functions if start <= place < end]
    return around[-1] if around else ""


def _span(node: Any) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _is_in(place: Place, spans: Iterable[tuple[Place, Place]]) -> bool:
    return any(start <= place < end for start, end in spans)
