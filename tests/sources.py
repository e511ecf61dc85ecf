"""Source files as tests read them."""

import ast
import gc


def parsed(source: str) -> ast.Module:
    """The syntax tree. No garbage is collected meanwhile: in Python 3.11.7 a finalizer that runs
    while the tree is built makes it a SystemError (gh-106905)."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        if collects:
            gc.enable()
