"""Every block of code of every page is run by a test, or is marked as what is no code.

A block in the language ``text`` is output, ``mermaid`` a drawing; ``test_of_pages.py`` reads files.
Commands of the programs of ``test_commands.RUN`` run there, on whatever page they stand. For every
other block ``runs.py`` names what runs it.
"""

import pytest

from launcher.installation import CHECKOUT
from tests.docs import test_commands
from tests.docs.blocks import DRAWN, FILES, PAGES, Block, blocks, commands, program
from tests.docs.runs import RUN, WHOLE, is_named


def is_run(block: Block) -> bool:
    """As the tables say, or because each of its programs has a way to run."""
    found = {program(command) for command in commands(block)} - {""}
    return is_named(block) or (bool(found) and found <= test_commands.RUN.keys())


def test_every_block_is_run_or_is_no_code() -> None:
    code = (b for page in PAGES for b in blocks(page) if b.language not in DRAWN + FILES)
    assert [block for block in code if not is_run(block)] == []


@pytest.mark.parametrize("page", RUN)
def test_the_table_names_blocks_that_are_there(page: str) -> None:
    found = [block.text for block in blocks(page)]
    assert [begins for begins in RUN[page] if not any(t.startswith(begins) for t in found)] == []


def test_what_runs_them_is_there() -> None:
    named = {path for table in (WHOLE, *RUN.values()) for path in table.values()}
    assert [path for path in named if not (CHECKOUT / path).exists()] == []
