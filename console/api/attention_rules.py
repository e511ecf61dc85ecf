"""From when on the rules of what needs attention fire for some groups alone."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.schema import DRY_RUN, GROUP_ID, PAGE, or_tried, page_of, tried
from console.api.views import View, actor, existing, found
from console.operations import attention_rules as changes
from console.queries import attention_rules
from groups.models import AttentionRule


class OwnRules(View):
    """Thresholds of some groups, and silences."""

    @described(
        operation_id="list_attention_rules",
        parameters=PAGE,
        responses=page_of(shapes.AttentionRuleView),
    )
    def get(self, request: Request) -> Response:
        """List thresholds that some groups have of their own, and silences."""
        rows = AttentionRule.objects.all()
        return self.paged(request, rows, ["id"], shapes.AttentionRuleView)

    @described(
        operation_id="apply_attention_rule",
        parameters=[DRY_RUN],
        request=shapes.NewAttentionRule,
        responses={201: shapes.AttentionRuleView, **tried(shapes.AttentionRuleView)},
    )
    def post(self, request: Request) -> Response:
        """Give a group, or all whose ids begin alike, a threshold of a rule; without a threshold
        silence the rule for them until an end. It replaces what was said of the same groups. A
        silence counts before a threshold, a group's own before that of a beginning, and a longer
        beginning before a shorter one."""
        return self.created(request, shapes.AttentionRuleView, lambda: self._apply(request))

    def _apply(self, request: Request) -> AttentionRule:
        body = self.body
        said: Mapping[str, Any] = {
            "is_prefix": body["is_prefix"],
            "threshold": body.get("threshold"),
            "until": body.get("until"),
        }
        problem = changes.trouble(body["rule"], body["name"], **said)
        if problem is not None:
            raise ValidationError({problem[0]: [f"{problem[1]}."]})
        try:
            return changes.apply(
                body["rule"], body["name"], reason=body["reason"], actor=actor(request), **said
            )
        except ValueError as error:
            raise ValidationError({"rule": [f"{error}."]}) from None


class OneRule(View):
    """One of them."""

    @described(
        operation_id="withdraw_attention_rule",
        parameters=[DRY_RUN],
        request=None,
        responses=or_tried(shapes.AttentionRuleView),
    )
    def delete(self, request: Request, rule_id: int) -> Response:
        """Withdraw a threshold or a silence, and show it."""
        row = found(AttentionRule.objects.all(), "threshold or silence", rule_id)
        return self.withdrawn(shapes.AttentionRuleView, row)


class OfGroup(View):
    """From when on a group needs attention."""

    @described(
        operation_id="get_group_attention",
        parameters=[GROUP_ID],
        responses=shapes.GroupAttention,
    )
    def get(self, request: Request, group_id: str) -> Response:
        """Show from when on each rule fires for a group, and the thresholds that its last fourteen
        days propose."""
        existing(group_id)
        rules, proposals = attention_rules.of_group(group_id)
        return Response(shapes.GroupAttention({"rules": rules, "proposals": proposals}).data)
