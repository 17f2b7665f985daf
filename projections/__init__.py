"""What a log means: folds over its entries, from rolls and tracks to health and history."""
