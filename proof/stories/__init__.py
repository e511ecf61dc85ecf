"""Random stories of groups, by the real rules of every kind: is each rebalance explained as it was?

``world`` plays the node and its clock, ``members`` the clients, and ``plot`` what happens to them.
``truth`` watches from outside what a rebalance waits for (``facts``), and ``comparison`` finds
where the journal says otherwise.
"""
