"""The decider: a command in, events out. No clock, no disk, no network.

    state = None                                    # before the table is opened
    for seat, command in requests:
        try:
            events = decide(state, seat, command)   # decide.py: may refuse, changes nothing
        except Refused as refused:
            ...                                     # what was wrong, what would be allowed now
        else:
            for event in events:                    # facts, in the order in which they happened
                state = evolve(state, event)        # projections/tables.py `fold`: never refuses
            log.append(events)                      # aggregate.py seals them first

Everything else here serves one of these lines: parse.py reads a command, machine.py is the door of
a roll, guards.py, offers.py and fitting.py say who may do what, sources.py gives the dice.
"""
