"""The rows in PostgreSQL, without rules.

Groups, members and offsets change only through ``groups.store.apply`` (docs/architecture.md, *One
write path*): a save or delete by the ORM would bypass the guard, so it raises. The ORM may read.
Collation "C" compares group ids as bytes, as Kafka does, which is also fastest in indexes.
"""

from groups.models.access import SCOPES as SCOPES
from groups.models.access import Acl as Acl
from groups.models.access import ApiToken as ApiToken
from groups.models.access import AuditEntry as AuditEntry
from groups.models.access import ClientQuota as ClientQuota
from groups.models.access import FirstPassword as FirstPassword
from groups.models.access import KafkaUser as KafkaUser
from groups.models.access import OpenIdUser as OpenIdUser
from groups.models.access import QuotaEntity as QuotaEntity
from groups.models.access import ScramCredential as ScramCredential
from groups.models.acknowledgement import Acknowledgement as Acknowledgement
from groups.models.advice import AdviceDecision as AdviceDecision
from groups.models.attention_rule import AttentionRule as AttentionRule
from groups.models.base import WrittenBySql as WrittenBySql
from groups.models.fleet import BeatLease as BeatLease
from groups.models.fleet import Drain as Drain
from groups.models.fleet import Node as Node
from groups.models.fleet import NodeLease as NodeLease
from groups.models.fleet import Slot as Slot
from groups.models.fleet import Sweep as Sweep
from groups.models.fleet import Topic as Topic
from groups.models.fleet import Watch as Watch
from groups.models.group import Follower as Follower
from groups.models.group import Group as Group
from groups.models.group import GroupConfig as GroupConfig
from groups.models.group import Member as Member
from groups.models.group import Offset as Offset
from groups.models.group import Pause as Pause
from groups.models.journal import ABOUT_TOPICS as ABOUT_TOPICS
from groups.models.journal import Journal as Journal
from groups.models.journal import Operation as Operation
from groups.models.mark import Mark as Mark
from groups.models.notes import ClientConnection as ClientConnection
from groups.models.notes import ConnectionsNoted as ConnectionsNoted
from groups.models.notes import GroupCounts as GroupCounts
from groups.models.notes import LastHour as LastHour
from groups.models.notes import Liveness as Liveness
from groups.models.notes import Waiting as Waiting
from groups.models.reports import ReportRow as ReportRow
from groups.models.reports import ReportRun as ReportRun
from groups.models.reports import RunRow as RunRow
from groups.models.saved_view import SavedView as SavedView
from groups.models.webhooks import Webhook as Webhook
from groups.models.webhooks import WebhookCursor as WebhookCursor
from groups.models.webhooks import WebhookDelivery as WebhookDelivery
from groups.models.webhooks import WebhookSecret as WebhookSecret
