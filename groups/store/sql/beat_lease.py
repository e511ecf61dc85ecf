"""The SQL of the lease of the process that schedules the periodic work
(``groups.sweeps.beat_lease``)."""

LEASE_S = 5
"""How long another one waits for a holder that says nothing."""

TAKE = f"""
INSERT INTO rollcall_beat_lease AS lease (id, holder, until)
VALUES (1, %(holder)s, clock_timestamp() + interval '{LEASE_S} seconds')
ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE lease.holder = excluded.holder
   OR lease.until NOT BETWEEN clock_timestamp() AND excluded.until
RETURNING true
"""
"""Take it or renew it; no row while another one has it. An end that is too far in the future was
written before the server's clock was set back."""

GIVE_BACK = "DELETE FROM rollcall_beat_lease WHERE holder = %(holder)s"
