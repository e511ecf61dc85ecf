"""Access rules of the Kafka port: bindings, what they allow, and what may be one. Pure."""
