"""People: rights, roles, logins, tokens, and the audit of their requests."""
