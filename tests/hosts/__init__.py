"""Three hosts and a primary with its synchronous standby, each with an address in a network of its
own, hurt round after round (``make hosts``)."""
