"""The journal's entry about access to the Kafka port, as part of a statement that changes it.

Database functions are made of some of these statements: ``groups/schema.sql`` has their text.
"""

from groups.core.journal import EntryKind, Trigger


def access_note(kind: EntryKind, details: str) -> str:
    """An entry for each row of ``changed``; ``details``: SQL for names and values beside the
    author. The statement has the parameters ``author`` and ``node_id``."""
    return f"""
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, %(node_id)s, '{kind}', '{Trigger.REQUEST}', '',
           coalesce(%(author)s::jsonb ->> 'client_id', ''), 0, 0, '{{}}', '[]', '[]',
           jsonb_build_object('author', %(author)s::jsonb, {details})
    FROM changed
"""
