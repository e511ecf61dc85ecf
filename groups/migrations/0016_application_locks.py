"""An application's transaction cannot lock its group by committing offsets.

A deferred trigger makes the checks of a COMMIT, under locks that a rebalance waits for, held only
during the COMMIT. ``SET CONSTRAINTS ALL IMMEDIATE`` would run it earlier, and hold the group while
the application's transaction is open. So ``rollcall_commit_offsets`` defers the trigger again; and
if it is run early afterwards, PostgreSQL ends a transaction that does not end within a few seconds.
"""

from importlib import import_module

from django.db import migrations

before = import_module("groups.migrations.0005_commit_offsets")

SETTLE = before.SETTLE % {"lock_class": before.LOCK_CLASS}

DEFERS = """
    SET CONSTRAINTS rollcall_settle_offsets DEFERRED;
    INSERT INTO rollcall_noted_offsets
"""
IS_SHORT = """
    -- Nothing follows at a COMMIT. Before one, whoever holds what comes next must not stand still.
    PERFORM set_config('idle_in_transaction_session_timeout', '1s', true),
            set_config('transaction_timeout', '0', true),
            set_config('transaction_timeout', '5s', true);
    -- The owner takes it exclusively before it changes generation or members; the queue is fair.
"""


def _replaced(text: str, part: str, by: str) -> str:
    """The function with one part replaced."""
    assert text.count(part) == 1
    return text.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").replace(part, by)


class Migration(migrations.Migration):
    dependencies = [("groups", "0015_journal_of_topics")]

    operations = [
        migrations.RunSQL(
            _replaced(before.COMMIT_OFFSETS, "\n    INSERT INTO rollcall_noted_offsets\n", DEFERS),
            before.COMMIT_OFFSETS.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"),
        ),
        migrations.RunSQL(
            _replaced(
                SETTLE,
                "\n    -- The owner takes it exclusively before it changes generation or members;"
                " the queue is fair.\n",
                IS_SHORT,
            ),
            SETTLE.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"),
        ),
    ]
