"""The admin: what operators see of groups and may ask of them."""
