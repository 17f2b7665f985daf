"""urimcheck, the verifier: in Python, in JavaScript, as a page, and for a log that goes on."""
