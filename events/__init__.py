"""What happened: immutable events, sealed as entries of a log that anyone can verify."""
