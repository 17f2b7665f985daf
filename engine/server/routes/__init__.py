"""The paths that are served, by subject."""
