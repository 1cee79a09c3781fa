"""The edge of the coordinators: what appends their decisions, replays them, and answers after the commit."""
