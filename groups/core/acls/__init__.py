"""Access rules of the Kafka port: bindings, what they allow, and valid forms. Pure."""
