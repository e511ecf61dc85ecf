"""A mailbox: one piece of news, the newest; and "look" is never lost."""

from console.live.mailbox import LOOK, Mailbox


async def test_a_later_message_replaces_an_unread_one() -> None:
    mailbox = Mailbox()
    for revision in (4, 5, 6):
        mailbox.put(revision)

    assert await mailbox.take() == 6


async def test_a_full_refresh_is_not_replaced_by_a_revision() -> None:
    mailbox = Mailbox()
    mailbox.put(LOOK)
    mailbox.put(7)

    assert await mailbox.take() is LOOK
    mailbox.put(8)
    assert await mailbox.take() == 8


async def test_possibly_outdated_news_does_not_replace_an_unread_message() -> None:
    mailbox = Mailbox()
    mailbox.put(9)
    mailbox.put_first(8)

    assert await mailbox.take() == 9
    mailbox.put_first(9)
    assert await mailbox.take() == 9
