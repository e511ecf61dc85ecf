"""The SQL of screens and REST, by subject; the modules beside this folder execute it.

What the engine executes as well is in ``groups.store.sql``."""
