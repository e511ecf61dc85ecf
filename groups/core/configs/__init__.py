"""Configuration of groups and topics: names, types, bounds."""
