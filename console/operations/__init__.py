"""Changes that people request and that no group decides: settings, drains, ACLs, users, quotas; and
what a reset of offsets would do, which its group then decides."""
