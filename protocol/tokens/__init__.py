"""Signed tokens (OAUTHBEARER, KIP-768): whose keys verify them, and what they have to say."""
