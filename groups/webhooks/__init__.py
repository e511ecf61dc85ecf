"""Webhooks: what happens is written into rows beside where it was found, and sent from there.

In the form of Standard Webhooks (https://www.standardwebhooks.com): docs/webhooks.md.
"""
