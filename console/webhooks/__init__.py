"""Webhooks: events are written as rows in the transaction that finds them, and sent from there.

In the format of Standard Webhooks (https://www.standardwebhooks.com): docs/webhooks.md.
"""
