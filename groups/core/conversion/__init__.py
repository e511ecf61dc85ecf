"""From one protocol to the other while a group lives (KIP-848, online migration)."""
