"""Tables, results and audits shown: as text for a terminal, as JSON and as pictures."""
