"""urimcheck, the verifier, in Python and in JavaScript; a page of it, and what follows a log with it."""
