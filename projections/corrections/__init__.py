"""What a correction does: how a later entry changes what earlier ones come to.

A log is only added to. But a void takes a roll out that counted, an amendment puts another outcome
in the place of the one announced, and a reveal lets count what was hidden. Each is an operation on
the past of a sequence: a *retroactive update*. Afterwards the table is what it would be had the
past been so. That is the law; `tests/projections/corrections` holds it against a fold from the
beginning.

A fold from the beginning would do, and would take as long as the log is. So it is done by *change
propagation*, as in incremental computation: only what depends on what was changed is computed
again. A module is a part of that:

`timeline`      A persistent *version history* of each character: a *moment* is an entry that may
                change its tracks, kept with the tracks before it. So "the tracks before entry n"
                is a look-up, for every n.
`postings`      The index beneath: *posting lists*, as a search engine has them. A character's
                items in log order; the first from an entry on is found by bisection.
`propagation`   A priority queue of moments, the earliest first. It begins with those of the
                corrected roll, and computes each again on the tracks as they are now. A character
                whose tracks are what they were leaves the queue (*early cutoff*); whom its moment
                touches joins it. The cost is that of the moments behind the correction, of those
                who differ.
`changes`       What each entry changes as it counts now, which is perhaps not what was announced.
`dependencies`  An index from what was corrected to what may depend on it: who took what from a
                sheet, and when.
`stale`         Where propagation stops on purpose. Tracks are derived, and are recomputed; a
                declaration, dice and an outcome are facts, and stand. Where such a fact was
                settled with a value that is another one now, it is *stale*, as a cache is: it is
                named, with what it had and what it would have. People decide what becomes of it.
`annotations`   The same in words, behind the lines of a history that no longer hold.

What counts at all, and in whose place, says `projections/tracks.py`.
"""
