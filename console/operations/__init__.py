"""Changes that people request and that no group decides: settings, drains, ACLs, users, quotas."""
