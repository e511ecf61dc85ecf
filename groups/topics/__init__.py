"""What changes of the catalogue mean for groups: topics that appear, grow and go, patterns,
and targets that are computed beside the event loop."""
