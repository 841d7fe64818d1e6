"""Goes through every interleaving of the real cycles, to a stated bound, and judges every state.

What runs is the product: `EnactCycle` with its confirmations and audits, `CleanupCycle`,
`Freezing`, `RollingBack`, `Pinning` and `Publisher`, on ports that hand each call to the explorer.
Between any two calls anything else may happen. Each call is answered by the strict fakes, hence by
the stand-in's rules of Route 53.

Explored, each within a budget that the bound states:

* every order in which the actors' calls can act;
* a crash of any actor before or after any call, and its starting anew;
* a write, of a batch or of an item, that gets no answer and acts at any later time or never. That
  covers lost requests, lost replies, late batches, and throttled ones that act all the same;
* a read that fails;
* a failover of Route 53 that loses any number of changes not known to be in sync, under either
  reading of what becomes of such a change's id;
* a change that stays pending for longer than anybody waits.

Judged, by eyes that use nothing of the product (`promises`): P1, P2, P3, P4, P5, P6, P9 and P11 at
every move or world; that a whole fence stands over exactly its plan; and P10 from every world that
is reached: with faults ended and freezes thawed, one fresh enactor brings the zone to its target
within `convergence.PASSES_MAX` passes.

Not explored: tables restored or copied, break-glass and reconcile, several zones, listings of more
than one page, foreign edits meanwhile, retired names, two packing versions, and time other than by
the choices above. Cleanup's burial of one plan is one call. A batch takes one changed name here, so
that a plan of two names has two batches. The simulation covers these by chance instead of whole.

Two reductions keep the space small without losing a world, and a test compares with the whole
space. Histories that leave the same memory behind at the end of a pass are one (`memory`). A call
that commutes with all that others can do is made alone (`Moves.is_private`).

    python -m tests.simulation.explorer --help
"""
