"""REST: what automation sees of groups (``/api/v1``)."""
