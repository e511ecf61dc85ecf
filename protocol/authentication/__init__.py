"""Who a client is: SASL, TLS, tokens, lock-outs."""
