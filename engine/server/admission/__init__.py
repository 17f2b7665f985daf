"""Who comes in: tokens and their rights, guesses, origins, how fast a seat may ask, and seats."""
