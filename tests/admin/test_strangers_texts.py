"""Client-supplied texts (ids, names, reasons) are text on every page, and never markup."""

import json

import pytest
from django.contrib.admin.utils import quote
from django.db import connection

from groups.models import Operation
from tests.admin.visitors import superuser, text
from tests.api.conftest import write
from tests.model_factories import OperationFactory

pytestmark = pytest.mark.django_db

EVIL = "<img src=x onerror=evil('1')>\""
GONE = f"gone {EVIL}"
WAITING = {
    "phase": "join",
    "since_ms": 1,
    "left_ms": 60_000,
    "awaited": [
        {
            "member_id": EVIL,
            "name": EVIL,
            "act": "rejoin",
            "silent_ms": 9_000,
            "left_ms": 9_000,
            "partitions": 1,
        }
    ],
    "awaited_count": 1,
    "ready": 0,
    "newcomers": [EVIL],
    "newcomers_count": 1,
    "handed_out": 0,
    "still": 1,
}

STATEMENTS = (
    "UPDATE rollcall_group SET state = 'PreparingRebalance', state_since = now() - interval '1 h',"
    " leader = %(evil)s, protocol_name = %(evil)s, protocol_type = %(evil)s",
    "UPDATE rollcall_member SET client_id = %(evil)s || member_id, client_host = %(evil)s,"
    " instance_id = %(evil)s || member_id, member_id = %(evil)s || member_id",
    "UPDATE rollcall_journal SET client_id = %(evil)s, client_reason = %(evil)s,"
    " reason = %(evil)s, member_id = %(evil)s, joined = jsonb_build_array(%(evil)s::text),"
    ' "left" = jsonb_build_array(%(evil)s::text),'
    " waited_for = jsonb_build_object(%(evil)s::text, 1200)",
    "INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,"
    ' client_reason, generation_before, generation_after, waited_for, joined, "left", details)'
    " SELECT now(), g, 0, 0, k, 'operator', %(evil)s, %(evil)s, 0, 0, '{}', '[]', '[]',"
    " jsonb_build_object('author', jsonb_build_object('user', %(evil)s::text))"
    " FROM unnest(ARRAY[%(evil)s, %(gone)s]) g, unnest(ARRAY['group-deleted', 'limit-near']) k",
    "INSERT INTO rollcall_waiting (group_id, node_id, revision, details, told_at)"
    " VALUES (%(evil)s, 0, 1, %(waiting)s, now())",
    "INSERT INTO rollcall_pause (group_id, scope, name, slot, pause_id, actor, reason, since)"
    " VALUES (%(evil)s, 'group', '', 1, 7, %(evil)s, %(evil)s, now() - interval '1 day')",
    "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch,"
    " metadata, committed_at) VALUES (%(evil)s, 't', 0, 1, -1, %(evil)s, now())",
)


def strangers() -> Operation:
    """A group that trouble of every kind has befallen, and another one that is gone."""
    write(EVIL)
    given = {"evil": EVIL, "gone": GONE, "waiting": json.dumps(WAITING)}
    with connection.cursor() as cursor:
        for statement in STATEMENTS:
            cursor.execute(statement, given)
    return OperationFactory.create(
        group_id=EVIL,
        verb="evict",
        member_id=EVIL,
        reason=EVIL,
        actor=EVIL,
        state="failed",
        detail=EVIL,
    )


def test_pages_escape_client_supplied_texts() -> None:
    operation, root = strangers(), superuser()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_operation SET finished_at = now()")
        cursor.execute("SELECT member_id FROM rollcall_member LIMIT 1")
        ((member_id,),) = cursor.fetchall()
    group, gone = (f"/admin/groups/group/{quote(name)}" for name in (EVIL, GONE))
    pages = {
        "/admin/": {},
        "/admin/groups/group/": {},
        f"{group}/change/": {"members": EVIL},
        f"{group}/live/": {},
        f"{group}/rebalance/": {},
        f"{group}/configure/": {"name": "rollcall.max.members"},
        f"{group}/pause/": {"member": member_id},
        f"{group}/evict/": {"member": member_id},
        f"{gone}/change/": {},
        "/admin/groups/operation/": {},
        f"/admin/groups/operation/{operation.pk}/change/": {},
    }
    for path, query in pages.items():
        answer = root.get(path, query)
        assert answer.status_code == 200, path
        assert "<img src=x" not in text(answer), path
        assert "&lt;img src=x" in text(answer), path


def test_messages_and_refusals_escape_client_supplied_texts() -> None:
    write("g")
    root = superuser()
    redirected = root.get("/admin/groups/group/g/evict/", {"member": EVIL}, follow=True)
    missing = root.get(f"/admin/groups/group/{quote(EVIL)}/change/")
    action = {"action": "force_rebalances", "_selected_action": ["g"], "reason": EVIL}
    many = root.post("/admin/groups/group/", action)
    for answer in (redirected, missing, many):
        assert "<img src=x" not in text(answer)
    assert "&lt;img src=x" in text(redirected) and "&lt;img src=x" in text(missing)
