"""Who votes, who leads, and what is committed: pure functions of state, input and time, for any number of voters."""
