"""The decider: a command in, events out. No clock, no disk, no network."""
