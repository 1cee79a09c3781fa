"""A whole broker in a world of chance that can be replayed: `python -m snakka.testing.simulation --seed 7`.

Time, network, disk, threads, clients and their luck all come from one seed, so what went wrong once goes wrong again.
`world` tells a simulation's story, `model` and `audit` know what must be true, and `runner` tries many seeds.
"""
