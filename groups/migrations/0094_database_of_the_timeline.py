"""The history of the rows names its database, too: a dump that is restored into the same server,
after ``dropdb``, is another database there, of the same system and timeline (docs/backups.md)."""

from django.db import migrations

COLUMN = """
ALTER TABLE rollcall_timeline ADD COLUMN database oid;
COMMENT ON COLUMN rollcall_timeline.database IS
    'The one in which epochs were raised last; a restored dump is in another one.';
"""

# Not on INSERT: who restores a dump inserts the row of the database that was.
HERE = """
CREATE FUNCTION rollcall_timeline_here() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$ BEGIN
    NEW.database := (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN NEW;
END $$;
CREATE TRIGGER rollcall_timeline_here BEFORE UPDATE ON rollcall_timeline
FOR EACH ROW EXECUTE FUNCTION rollcall_timeline_here();
"""

NOW = "UPDATE rollcall_timeline SET timeline = timeline"


class Migration(migrations.Migration):
    dependencies = [("groups", "0086_predictions")]

    operations = [
        migrations.RunSQL(COLUMN, "ALTER TABLE rollcall_timeline DROP COLUMN database"),
        migrations.RunSQL(
            HERE,
            "DROP TRIGGER rollcall_timeline_here ON rollcall_timeline;"
            " DROP FUNCTION rollcall_timeline_here()",
        ),
        migrations.RunSQL(NOW, migrations.RunSQL.noop),
    ]
