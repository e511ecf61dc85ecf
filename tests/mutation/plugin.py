"""How the tests run against a mutant: a failure is reported at once."""

import signal

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutation.worker import TIME_LIMIT

TEST_CPU_S = 30.0

settings.register_profile(
    "mutant",
    deadline=None,
    database=None,  # a mutant's failures are no examples for the next one
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),  # the smallest example is for people
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """After the root conftest has loaded its own profile."""
    settings.load_profile("mutant")


@pytest.hookimpl
def pytest_runtest_setup() -> None:
    """A mutant that loops is ended by the time of the processor that a test takes, and not by how
    busy the machine is."""
    signal.setitimer(signal.ITIMER_VIRTUAL, TEST_CPU_S)  # without a handler: the process ends


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> None:
    """A time limit is reported before pytest looks for the line that it struck: there may be none,
    which is an internal error to pytest."""
    failed = call.excinfo.value if call.excinfo is not None else None
    if isinstance(failed, pytest.fail.Exception) and str(failed).startswith("Timeout"):
        print(TIME_LIMIT)
