"""What it comes to: folds over a log's entries, from rolls and tracks to health and history."""
