"""The OpenAPI description: committed, complete, and usable without a network."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from rollcall.installation import CHECKOUT

COMMITTED = CHECKOUT / "docs" / "openapi.yaml"


def test_the_committed_description_is_what_the_code_says() -> None:
    """After a change: ``manage.py spectacular --validate --file docs/openapi.yaml``."""
    told = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=told)
    assert told.getvalue().strip() == COMMITTED.read_text().strip()


@pytest.mark.django_db
def test_the_page_of_it_loads_nothing_from_elsewhere(viewer: Client) -> None:
    page = viewer.get("/api/v1/docs").content.decode()
    assert "swagger-ui" in page
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
