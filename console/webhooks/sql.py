"""The SQL of webhooks: due deliveries, attempts, and results. Times are PostgreSQL's."""

QUEUE = """
INSERT INTO rollcall_webhook_delivery
    (webhook_id, message_id, key, type, body, created_at, state, attempts, next_at, error, answer)
SELECT told.webhook_id, gen_random_uuid(), event.key, event.type, event.body,
    statement_timestamp(), 'pending', 0, statement_timestamp(), '', ''
FROM unnest(%(webhooks)s::bigint[], %(events)s::bigint[]) AS told (webhook_id, n)
JOIN unnest(%(keys)s::text[], %(types)s::text[], %(bodies)s::text[])
    WITH ORDINALITY AS event (key, type, body, n) USING (n)
ORDER BY n, webhook_id
ON CONFLICT DO NOTHING
"""

WAITS = """
d.webhook_id = w.id AND d.state = 'pending' AND d.next_at <= statement_timestamp()
"""

MAY = "w.enabled AND (w.not_before IS NULL OR w.not_before <= statement_timestamp())"

DUE = f"""
SELECT w.id, w.failing_since IS NOT NULL FROM rollcall_webhook w
WHERE {MAY} AND EXISTS (SELECT FROM rollcall_webhook_delivery d WHERE {WAITS})
"""

CLAIM = f"""
WITH due AS (
    SELECT d.id, w.url FROM rollcall_webhook_delivery d JOIN rollcall_webhook w ON {WAITS}
    WHERE {MAY} AND d.webhook_id = %(webhook)s
    ORDER BY d.next_at, d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
UPDATE rollcall_webhook_delivery d
SET attempts = attempts + 1, next_at = statement_timestamp() + make_interval(secs => %(lease_s)s)
FROM due WHERE d.id = due.id
RETURNING d.id, d.message_id, d.body, d.attempts, due.url,
    extract(epoch FROM statement_timestamp())::bigint,
    extract(epoch FROM statement_timestamp() - d.created_at)::float8
"""
"""Claims one delivery that is due. If the worker is killed, others can claim it when its time is
over."""

SECRETS = """
SELECT secret FROM rollcall_webhook_secret s WHERE webhook_id = %(webhook)s
  AND NOT EXISTS (SELECT FROM rollcall_webhook_secret newer WHERE newer.webhook_id = s.webhook_id
                  AND newer.id > s.id
                  AND newer.created_at < statement_timestamp() - interval '1 day')
ORDER BY id DESC LIMIT 3
"""
"""The newest secret, and those that were replaced less than a day ago."""

DELIVERED = """
WITH told AS (
    UPDATE rollcall_webhook_delivery SET state = 'delivered', finished_at = statement_timestamp(),
        status = %(status)s, error = '', answer = %(answer)s, took_ms = %(took_ms)s
    WHERE id = %(id)s)
UPDATE rollcall_webhook SET failures = 0, failing_since = NULL, not_before = NULL,
    delivered_at = statement_timestamp()
WHERE id = %(webhook)s
"""

FAILED = """
WITH told AS (
    UPDATE rollcall_webhook_delivery SET status = %(status)s, error = %(error)s,
        answer = %(answer)s, took_ms = %(took_ms)s,
        state = CASE WHEN %(is_over)s THEN 'failed' ELSE state END,
        finished_at = CASE WHEN %(is_over)s THEN statement_timestamp() END,
        next_at = statement_timestamp() + make_interval(secs => %(again_s)s)
    WHERE id = %(id)s AND state = 'pending')
UPDATE rollcall_webhook SET failures = failures + 1,
    failing_since = coalesce(failing_since, statement_timestamp()),
    not_before = CASE WHEN %(pauses)s THEN statement_timestamp() + make_interval(
        secs => greatest(%(asked_s)s, least(%(quiet_s)s, power(2, least(failures, 20))))) END
WHERE id = %(webhook)s
RETURNING extract(epoch FROM statement_timestamp() - failing_since)::float8, name
"""

DISABLE = """
UPDATE rollcall_webhook SET enabled = false, disabled_because = %(because)s
WHERE id = %(webhook)s AND enabled
"""

FORGET_OLD = """
DELETE FROM rollcall_webhook_delivery WHERE id IN (
    SELECT id FROM rollcall_webhook_delivery
    WHERE created_at < statement_timestamp() - make_interval(hours => %(hours)s) LIMIT %(rows)s)
"""

FORGET_MANY = """
DELETE FROM rollcall_webhook_delivery d USING rollcall_webhook w
WHERE w.id = d.webhook_id AND d.id <= (
    SELECT id FROM rollcall_webhook_delivery newest WHERE newest.webhook_id = w.id
    ORDER BY id DESC OFFSET %(most)s LIMIT 1)
"""

FORGET_SECRETS = """
DELETE FROM rollcall_webhook_secret s USING rollcall_webhook_secret newer
WHERE newer.webhook_id = s.webhook_id AND newer.id > s.id
  AND newer.created_at < statement_timestamp() - interval '1 day'
"""

CURSOR = """
SELECT state FROM rollcall_webhook_cursor WHERE name = %(name)s FOR UPDATE SKIP LOCKED
"""

CURSOR_LOCK = "SELECT pg_advisory_xact_lock(%s, 0)"
CURSOR_LOCK_KEY = 0x526C7768
"""The key of the lock between enabling an endpoint and deleting the cursor ("Rlwh"): otherwise the
former could find a row that the latter deletes because it does not see the endpoint yet. The web
may not lock the row itself."""

BEGIN = """
INSERT INTO rollcall_webhook_cursor (name, state) VALUES (%(name)s, %(state)s)
ON CONFLICT DO NOTHING
"""

END = """
DELETE FROM rollcall_webhook_cursor
WHERE name = %(name)s AND NOT EXISTS (SELECT FROM rollcall_webhook WHERE enabled)
"""

ADD_SECRET = """
INSERT INTO rollcall_webhook_secret (webhook_id, secret, created_at)
VALUES (%(webhook)s, %(secret)s, statement_timestamp())
"""
