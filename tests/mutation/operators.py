"""What is changed in a mutant: cosmic-ray's operators that fit this code, and some of our own.

Left out of cosmic-ray's: operators whose mutants fail at import or in mypy (decorators, variables
put for others), and those that are equivalent (``==`` for ``is``, on enumerations).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import parso
from cosmic_ray.operators import (
    boolean_replacer,
    break_continue,
    exception_replacer,
    number_replacer,
    zero_iteration_for_loop,
)
from cosmic_ray.operators.binary_operator_replacement import operators as binary_operators
from cosmic_ray.operators.comparison_operator_replacement import operators as comparisons
from cosmic_ray.operators.operator import Operator
from cosmic_ray.operators.unary_operator_replacement import operators as unary_operators

SWAPS = {
    "ReplaceComparisonOperator": (
        "Eq_NotEq NotEq_Eq Lt_LtE LtE_Lt Gt_GtE GtE_Gt Lt_GtE LtE_Gt Gt_LtE GtE_Lt"
        " Is_IsNot IsNot_Is"
    ),
    "ReplaceBinaryOperator": (
        "Add_Sub Sub_Add Mul_FloorDiv Div_Mul FloorDiv_Mul Mod_Mul BitOr_BitAnd BitAnd_BitOr"
        " BitXor_BitOr LShift_RShift RShift_LShift"
    ),
    "ReplaceUnaryOperator": "Delete_Not Delete_USub",
}


class RemoveStatement(Operator):  # type: ignore[misc]
    """Nothing happens in place of a call, an assignment to an attribute or a key, a deletion, a
    ``raise`` or an early ``return``."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        """Statements whose absence leaves every name bound."""
        if node.type == "simple_stmt" and _is_removable(node.children[0]):
            yield node.children[0].start_pos, node.children[0].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """``pass`` instead."""
        statement = node.children[0]
        prefix = statement.get_first_leaf().prefix
        node.children[0] = parso.parse(f"{prefix}pass")
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: these are for cosmic-ray's own tests."""
        return ()


class ReplaceInWithNotIn(Operator):  # type: ignore[misc]
    """Membership is turned round, in either direction."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        """Comparisons by ``in`` or ``not in``."""
        if node.type == "comparison" and _words(node.children[1]) in TURNED:
            yield node.children[1].start_pos, node.children[1].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """The other of the two."""
        node.children[1] = parso.parse(f" {TURNED[_words(node.children[1])]}")
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: these are for cosmic-ray's own tests."""
        return ()


class ReplaceException(exception_replacer.ExceptionReplacer):  # type: ignore[misc]
    """cosmic-ray's, where a name stands alone: it cannot put another for ``psycopg.Error``."""

    @staticmethod
    def _name_nodes(node: Any) -> list[Any]:
        named = exception_replacer.ExceptionReplacer._name_nodes(node)
        return [name for name in named if name.type == "name"]


TURNED = {"in": "not in", "not in": "in"}


def _words(node: Any) -> str:
    return " ".join(node.get_code().split())


def _is_removable(statement: Any) -> bool:
    match statement.type:
        case "atom_expr" | "await_expr" | "del_stmt" | "raise_stmt":
            return True
        case "keyword":
            return bool(statement.value == "return")
        case "expr_stmt":
            target, sign = statement.children[0], statement.children[1]
            bound = target.type in ("atom_expr", "power")
            return sign.type != "annassign" and (bound or sign.get_code().strip() != "=")
    return False


def _chosen() -> Iterator[type[Operator]]:
    for found in (*comparisons(), *binary_operators(), *unary_operators()):
        family, _, swap = found.__name__.partition("_")
        if swap in SWAPS[family].split():
            yield found
    yield from (
        boolean_replacer.AddNot,
        boolean_replacer.ReplaceAndWithOr,
        boolean_replacer.ReplaceOrWithAnd,
        boolean_replacer.ReplaceTrueWithFalse,
        boolean_replacer.ReplaceFalseWithTrue,
        break_continue.ReplaceBreakWithContinue,
        break_continue.ReplaceContinueWithBreak,
        ReplaceException,
        number_replacer.NumberReplacer,
        zero_iteration_for_loop.ZeroIterationForLoop,
        RemoveStatement,
        ReplaceInWithNotIn,
    )


OPERATORS: Mapping[str, Operator] = {chosen.__name__: chosen() for chosen in _chosen()}
