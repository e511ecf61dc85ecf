"""A crawler: a partition is a set of sites, crawled by one process at a time, one page after
another.

An operator may pause the group (``rollcall group pause``) or drain this process (``rollcall group
drain``): the page that is being fetched is finished and committed, and no other one is begun.

    python examples/crawler.py 127.0.0.1:9092 http://127.0.0.1:8080
"""

import asyncio
import sys
import urllib.request

from rollcall.client import Work, worker

PAGES = 50
PAUSE_S = 0.01
"""Between two requests to one site, out of politeness."""


@worker("sites", group="crawlers")
async def crawl(work: Work) -> None:
    """The pages of one set of sites, from the committed one on."""
    for number in range(work.offset, PAGES):
        url = f"{sys.argv[2]}/{work.partition.partition}/{number}"
        fetching = asyncio.ensure_future(asyncio.to_thread(fetch, url))
        try:
            await asyncio.shield(fetching)
        finally:  # also when the set is being taken away: nobody else has it before this returns
            await fetching
            work.note(number + 1)
        await asyncio.sleep(PAUSE_S)


def fetch(url: str) -> int:
    """The size of a page; a real crawler stores it, and finds links in it."""
    with urllib.request.urlopen(url, timeout=20) as page:
        return len(page.read())


if __name__ == "__main__":
    crawl.main(bootstrap=sys.argv[1])
