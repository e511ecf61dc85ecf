"""Signed tokens (OAUTHBEARER, KIP-768): the keys that verify them, and the required claims."""
