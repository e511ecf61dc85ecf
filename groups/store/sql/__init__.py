"""Every statement that is written by hand, by what it is about."""
