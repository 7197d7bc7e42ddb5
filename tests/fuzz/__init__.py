"""Random numeric programs: a generator, the checks each program must pass, and a shrinker. `python -m tests.fuzz --help`."""
