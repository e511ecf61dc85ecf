"""REST: groups for automation (``/api/v1``)."""
