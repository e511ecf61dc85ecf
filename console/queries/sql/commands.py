"""The SQL of commands that members have not acknowledged, for ``console.queries.groups``."""

NOT_ACKNOWLEDGED = """
SELECT option, array_agg(name ORDER BY position) FROM (
    SELECT DISTINCT ON (c.member_id) c.option, m.position,
           coalesce(nullif(m.client_id, ''), m.member_id) AS name
    FROM rollcall_command c JOIN rollcall_member m USING (group_id, member_id)
    WHERE c.group_id = %(group_id)s ORDER BY c.member_id, c.command_id DESC
) AS newest GROUP BY option ORDER BY option
"""
