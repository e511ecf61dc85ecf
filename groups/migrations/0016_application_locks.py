"""An application that commits offsets in its own transaction cannot hold its group with it.

What a COMMIT checks is checked by a deferred trigger, under locks that a rebalance waits for: for
the moment of the COMMIT. ``SET CONSTRAINTS ALL IMMEDIATE`` would call for it earlier, and hold the
group for as long as the application's transaction stays open. So ``rollcall_commit_offsets`` puts
the check off again, whatever was said before; and where it is called for afterwards, the
transaction has a second to go on and a few to end, or PostgreSQL ends it.
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
    """The function as it was, but for one part of it."""
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
