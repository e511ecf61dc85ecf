"""What handlers share."""
