"""Scenarios: a script in plain words, played on the real cycles, with all that is said and done.

`python -m tests.simulation.scenario FILE` plays one and shows what differs; `--write` writes what
was narrated into the file, for a person to read; `--words` lists the steps that there are.
"""
