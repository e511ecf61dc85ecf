"""Tests of a kind of group that is a plug-in, and was deleted, are skipped (``core.kinds``)."""

import re
from collections.abc import Generator
from typing import Final

import pytest

ABSENT: Final = re.compile(r"No module named 'groups\.core\.(?P<kind>draft|commanded)\b")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that imports such a kind cannot be collected; any other error stays one."""
    report = yield
    absent = ABSENT.search(str(report.longrepr)) if report.outcome == "failed" else None
    if absent is not None:
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"there are no {absent['kind']} groups")
    return report
