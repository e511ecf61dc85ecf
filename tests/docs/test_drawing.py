"""The states of groups are drawn from the tables of the rules."""

import pytest

from launcher.installation import CHECKOUT
from tests.docs.drawing import PAGES, PLACE, drawn


@pytest.mark.parametrize("page", PAGES)
def test_the_states_of_a_page_are_those_of_the_table(page: str) -> None:
    (found,) = PLACE.finditer((CHECKOUT / page).read_text())
    assert found[0] == found[1] + drawn(*PAGES[page]) + found[2], "python -m tests.docs.drawing"
