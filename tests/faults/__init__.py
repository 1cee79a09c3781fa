"""Real brokers, broken on purpose: killed, starved of disk, damaged and besieged. `python -m tests.faults --help`."""
