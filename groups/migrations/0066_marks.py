"""Marks: what people did at a time. The journal has each, too."""

from django.db import migrations, models

AUDITED = """
CREATE TRIGGER rollcall_audit AFTER INSERT OR UPDATE OR DELETE ON rollcall_mark
FOR EACH ROW EXECUTE FUNCTION rollcall_audit_row('mark', 'text', '', '')
"""

NOTED = """
CREATE FUNCTION rollcall_note_mark() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), NEW.group_id, coalesce(max(g.revision), 0), 0, 'marked', 'request',
           NEW.text, coalesce(max(g.generation), 0), coalesce(max(g.generation), 0), '{}', '[]',
           '[]', jsonb_build_object('mark', NEW.id, 'at', NEW.at, 'author',
               jsonb_build_object('user', NEW.actor))
    FROM rollcall_group g WHERE g.group_id = NEW.group_id;
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION rollcall_note_mark() FROM PUBLIC;
CREATE TRIGGER rollcall_mark_noted AFTER INSERT ON rollcall_mark
FOR EACH ROW EXECUTE FUNCTION rollcall_note_mark();
"""

NOT_NOTED = """
DROP TRIGGER rollcall_mark_noted ON rollcall_mark;
DROP FUNCTION rollcall_note_mark();
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0065_advice_decisions")]

    operations = [
        migrations.CreateModel(
            name="Mark",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(help_text="When it was.")),
                (
                    "text",
                    models.TextField(help_text="What was done, such as \u201corders 1.7.0\u201d."),
                ),
                (
                    "group_id",
                    models.TextField(
                        blank=True,
                        db_collation="C",
                        help_text="The group; empty: the whole installation.",
                    ),
                ),
                ("actor", models.TextField()),
                ("noted_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "db_table": "rollcall_mark",
                "indexes": [models.Index(fields=["group_id", "at"], name="mark_of_group")],
            },
        ),
        migrations.RunSQL(AUDITED, "DROP TRIGGER rollcall_audit ON rollcall_mark"),
        migrations.RunSQL(NOTED, NOT_NOTED),
    ]
