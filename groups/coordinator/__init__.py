"""One node's running state: the event loop lives here."""
