"""Advice as cards, and the form that decides about one."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from console.people.staff_roles import OPERATOR, VIEWER
from groups.models import AdviceDecision
from tests.admin.visitors import text, visitor
from tests.model_factories import ReportRunFactory, advise

pytestmark = pytest.mark.django_db

NEWEST = "/admin/groups/reportrun/newest/?report=advice"
ADD = "/admin/groups/advicedecision/add/"


def page(client: Client) -> Any:
    """The newest run's advice."""
    return client.get(NEWEST, follow=True)


def decide(client: Client, key: dict[str, str], verdict: str, **over: str) -> Any:
    """The form, as a card leads to it."""
    query = urlencode({**key, "verdict": verdict})
    body = {"reason": "a new host", "until_0": "", "until_1": "", **over}
    return client.post(f"{ADD}?{query}", body, follow=True)


def test_a_card_shows_the_evidence_the_effect_and_the_change() -> None:
    advise(ReportRunFactory.create(), "a/b <i>")
    shown = page(visitor(VIEWER))
    (card,) = shown.context["cards"]
    assert card.group == "/admin/groups/group/a_2Fb%20_3Ci_3E/change/"
    assert card.entries[0] == (17, f"{card.group}?tab=rebalances&before=18")
    assert "9.0 partition-seconds without owner" in text(shown)
    assert "session.timeout.ms=22000" in text(shown)
    assert "what-if --group=&#x27;a/b &lt;i&gt;&#x27; --session-timeout-ms 22000" in text(shown)
    assert ">Mute<" not in text(shown)
    assert ">Mute<" in text(page(visitor(OPERATOR, name="olga")))


def test_without_advice_nothing_is_to_be_changed() -> None:
    ReportRunFactory.create()
    assert "There is nothing to change in this period." in text(page(visitor(VIEWER)))


def test_a_muted_card_is_folded_until_it_is_withdrawn() -> None:
    key = advise(ReportRunFactory.create())
    operator = visitor(OPERATOR, name="olga")
    (card,) = page(operator).context["cards"]
    form = operator.get(card.links["Mute"])
    assert "until_0" in text(form) and "It is not shown until its end" in text(form)
    tomorrow = timezone.now() + timedelta(days=1)
    until = {"until_0": f"{tomorrow:%Y-%m-%d}", "until_1": f"{tomorrow:%H:%M:%S}"}
    answer = decide(operator, key, "muted", **until)
    assert answer.redirect_chain[0][0] == NEWEST
    assert (answer.context["cards"], len(answer.context["muted"])) == ([], 1)
    assert "muted by olga until" in text(answer)

    (muted,) = answer.context["muted"]
    operator.post(muted.links["Withdraw"], {"post": "yes"})
    assert len(page(operator).context["cards"]) == 1


def test_an_accepted_card_says_who_does_it() -> None:
    key = advise(ReportRunFactory.create())
    operator = visitor(OPERATOR, name="olga")
    assert "until_0" not in text(operator.get(f"{ADD}?{urlencode({**key, 'verdict': 'accepted'})}"))
    answer = decide(operator, key, "accepted")
    assert "Accepted by olga" in text(answer) and "a new host" in text(answer)


def test_a_form_for_nothing_leads_back() -> None:
    ReportRunFactory.create()
    operator = visitor(OPERATOR)
    key = {"group_id": "g", "rule": "r", "subject": "s"}
    assert "Select the advice on this page." in text(operator.get(ADD, follow=True))
    assert "Nothing was saved: There is no advice" in text(decide(operator, key, "muted"))
    assert not AdviceDecision.objects.exists()


@pytest.mark.parametrize("over", [{"reason": ""}, {"until_0": "2020-01-01", "until_1": "00:00:00"}])
def test_a_wrong_form_is_shown_again(over: dict[str, str]) -> None:
    key = advise(ReportRunFactory.create())
    answer = decide(visitor(OPERATOR), key, "muted", **over)
    assert answer.context["errors"]
    assert not AdviceDecision.objects.exists()


def test_a_viewer_decides_nothing() -> None:
    key = advise(ReportRunFactory.create())
    assert decide(visitor(VIEWER), key, "muted").status_code == 403
