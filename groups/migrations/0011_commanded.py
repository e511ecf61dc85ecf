"""Unacknowledged commands of members, and the commanded kind of group.

No model: these rows are neither read nor written through the ORM. All SQL about them is in
``groups.store.sql.commands``.
"""

from django.db import migrations, models

TABLE = """
CREATE TABLE rollcall_command (
    group_id text COLLATE "C" NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    command_id bigint NOT NULL CHECK (command_id > 0),
    option text NOT NULL,
    generation integer NOT NULL,
    ownership jsonb,
    reason text NOT NULL,
    series bigint NOT NULL CHECK (series >= 0 AND series < command_id),
    sent_at timestamptz NOT NULL,
    PRIMARY KEY (group_id, member_id, command_id)
);
COMMENT ON COLUMN rollcall_command.ownership IS
    'Topic to partition to consumer thread; null: the command is about everything.';
COMMENT ON COLUMN rollcall_command.series IS
    'The first of several commands that say the same; 0 in that one itself.';
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0010_draft")]

    operations = [
        migrations.RunSQL(TABLE, "DROP TABLE rollcall_command"),
        migrations.AlterField(
            model_name="group",
            name="kind",
            field=models.TextField(
                help_text='Which rules: "classic", "consumer", "draft", "commanded".'
            ),
        ),
    ]
