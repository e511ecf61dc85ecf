"""Rights, logins and the audit."""
