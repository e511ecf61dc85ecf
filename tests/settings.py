"""Django's settings under test: Rollcall's own, with a data folder that is thrown away.

The folder is made by the first process of a test run, which removes it (root ``conftest.py``);
parallel workers inherit its name.
"""

import os
import tempfile

PASSABLE = 0o711  # PostgreSQL's user, where the tests run as root, must pass through

if not os.environ.get("ROLLCALL_TEST_DIR"):  # an empty name would be the working directory
    os.environ["ROLLCALL_TEST_DIR"] = tempfile.mkdtemp(prefix="rollcall-test-")
    os.chmod(os.environ["ROLLCALL_TEST_DIR"], PASSABLE)
os.environ["ROLLCALL_DATA_DIR"] = os.environ["ROLLCALL_TEST_DIR"]

from coordinator_site.settings import *  # noqa: E402, F403
from coordinator_site.settings import MIDDLEWARE as OURS  # noqa: E402

MIDDLEWARE = ["tests.as_roles.AsWeb", *OURS]

# One round of hashing: logging in is not what the tests measure.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False  # tests log in without a request; tests/site/test_lockout.py has it on
DATABASE_MAY_BE_UNSAFE = True  # no fsync (``postgres.serve``): these rows are disposable
WEB_REST_READS_PER_MINUTE = WEB_REST_CHANGES_PER_MINUTE = 0  # tests/api/test_throttles.py has them
WHITENOISE_USE_FINDERS = False  # each Client has its own middleware: 20 ms to list all files
COORDINATOR_RESTART_GRACE_MS = 0  # silent members are evicted at once
