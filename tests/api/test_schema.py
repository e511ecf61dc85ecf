"""The OpenAPI description: committed, complete, and usable without a network."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from launcher.installation import CHECKOUT

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
    script = viewer.get("/api/v1/docs?script=").content.decode()
    assert '"validatorUrl": null' in script  # else the description goes to a stranger's server


def test_every_path_of_a_group_has_a_twin() -> None:
    """For ids that no path can hold behind some servers and clients."""
    told = COMMITTED.read_text()
    paths = set(re.findall(r"^  (/api/v1/\S+):$", told, re.MULTILINE))
    of_groups = {path for path in paths if path.startswith("/api/v1/groups/{group_id}")}
    twins = {path for path in paths if re.fullmatch(r"/api/v1/group(/.*)?", path)}
    assert len(of_groups) == len(twins) == 11
    assert not any("{" in twin for twin in twins)
