"""The SQL that an administrator of a PostgreSQL that is not ours executes once: roles, without
whose help the user of ``ROLLCALL_DATABASE_URL`` would need CREATEROLE (``manage.py setup
--print-sql``).

Everything else (tables, functions, grants on them) that user does himself, at each set-up, as the
owner of the database. It may be executed again, and after an upgrade that adds a role has to be.
"""

from collections.abc import Iterator

from psycopg import sql

from groups.postgres.roles import ROLES

HEAD = """\
-- For an administrator of PostgreSQL, connected to the database {database}, for instance by
-- psql --dbname={database} --file=roles.sql
-- No superuser is needed: an administrator with CREATEROLE, as managed services have, is enough.
-- The user and the database come first:
--   CREATE ROLE {owner} LOGIN PASSWORD '...';
--   GRANT {owner} TO CURRENT_USER;
--   CREATE DATABASE {database} OWNER {owner};
"""

CREATE = """DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {literal}) THEN
        CREATE ROLE {role} NOLOGIN;
    END IF;
END $$"""

WITH_LOGINS = """
-- The roles log in with passwords that follow from that of {owner}
-- (ROLLCALL_DATABASE_ROLES=logins): set-up sets them, and needs CREATEROLE for these roles alone.
"""

RESERVE = """DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles
               WHERE rolname = 'pg_use_reserved_connections'
                 AND pg_has_role(oid, 'MEMBER WITH ADMIN OPTION')) THEN
        GRANT pg_use_reserved_connections TO {owner} WITH ADMIN OPTION;
    END IF;
END $$"""


def script(database: str, owner: str, *, logins: bool) -> str:
    """The statements, with comments. ``logins``: the roles log in, instead of being taken."""
    return "".join(_parts(sql.Identifier(database), sql.Identifier(owner), logins=logins))


def _parts(database: sql.Identifier, owner: sql.Identifier, *, logins: bool) -> Iterator[str]:
    yield _text(HEAD, database=database, owner=owner)
    option = " WITH ADMIN OPTION" if logins else ""
    for role in ROLES:
        name = sql.Identifier(role.name)
        yield f"\n-- {role.meaning}\n"
        yield _text(CREATE, role=name, literal=sql.Literal(role.name)) + ";\n"
        yield _text(f"GRANT {{role}} TO {{owner}}{option}", role=name, owner=owner) + ";\n"
    if logins:
        yield _text(WITH_LOGINS, owner=owner)
        yield _text("ALTER ROLE {owner} CREATEROLE", owner=owner) + ";\n"
        yield _text(RESERVE, owner=owner) + ";\n"


def _text(template: str, **parts: sql.Composable) -> str:
    return sql.SQL(template).format(**parts).as_string(None)
