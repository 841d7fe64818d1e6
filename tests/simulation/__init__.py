"""The daemons' own cycles in virtual time, over strict fakes, with faults at every await.

`world` wires real planners, enactors, cleanup, sentinel and operators to one pretended cloud;
`wire` carries each of their calls and lets it be lost, late, slow or cut off; `acts` does what the
world outside does; `checkers` judges every event from outside. One seed is one run, always the
same: `python -m tests.simulation --seed N` shows it line by line.
"""
