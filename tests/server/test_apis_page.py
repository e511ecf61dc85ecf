"""docs/apis.md is what is served, and what may be answered."""

from groups.core.errors import ErrorCode
from launcher.environment import CHECKOUT
from protocol.handlers.support.wire_codes import WireCode
from protocol.management.commands.apis import page
from protocol.management.error_meanings import MEANINGS


def test_the_page_is_the_tables() -> None:
    """After a change: ``manage.py apis > docs/apis.md``."""
    assert "\n".join((*page(), "")) == (CHECKOUT / "docs" / "apis.md").read_text()


def test_every_code_has_a_meaning() -> None:
    assert {*MEANINGS} == {*ErrorCode, *WireCode}
