"""A mailbox: one piece of news, the newest; and "look" is never lost."""

from groups.live.mailbox import LOOK, Mailbox


async def test_what_comes_later_replaces_what_was_not_read() -> None:
    mailbox = Mailbox()
    for revision in (4, 5, 6):
        mailbox.put(revision)

    assert await mailbox.take() == 6


async def test_look_is_not_replaced_by_a_revision() -> None:
    mailbox = Mailbox()
    mailbox.put(LOOK)
    mailbox.put(7)

    assert await mailbox.take() is LOOK
    mailbox.put(8)
    assert await mailbox.take() == 8


async def test_news_that_may_be_old_does_not_replace_what_is_there() -> None:
    mailbox = Mailbox()
    mailbox.put(9)
    mailbox.put_first(8)

    assert await mailbox.take() == 9
    mailbox.put_first(9)
    assert await mailbox.take() == 9
