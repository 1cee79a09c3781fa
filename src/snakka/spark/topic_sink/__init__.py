"""The sink: DataFrames become records of topics, at least once, or exactly once in two phases.

Exactly once, a batch goes through these steps, and may be cut off between any two:

    task     reads the decision; has the batch none, it writes in a transaction of its own and leaves that open
    driver   writes one decision: this query, this batch, all of its transactions      <- from here on it counts
    driver   commits each transaction, and notes that all are
    Spark    notes in its checkpoint that the batch is done

Rule: a batch without a decision never happened, whatever was written: whoever tries it again fences what is there. A
batch with one is finished, whoever comes: nothing of it is written again, even if the same query would now give other
rows or other tasks.
"""
