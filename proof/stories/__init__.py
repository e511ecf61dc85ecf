"""Random stories of groups, by the real rules of every kind: is each rebalance explained as it was?

``world`` plays the node and its clock, ``members`` the clients, ``plot`` what happens to them, and
``truth`` knows from outside what a rebalance waited for, and compares.
"""
