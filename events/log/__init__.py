"""Where entries are kept: one promise, `protocol.EventLog`, and the places that keep it."""
