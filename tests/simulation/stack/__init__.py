"""The same world over the whole stack: the product's own adapters and retry layer, AWS's SDK, and
the stand-in's backends, without a socket.

`clients` opens the SDK's clients, a set for each process; `network` carries their requests by the
run's wire and says its troubles as HTTP says them; `hearing` tells the judge what took effect in
the backends; `there`, `stored` and `raw_items` show acts and judge what stands in them;
`small_stores` makes pages, chunks and answers short; `ground` puts it together.
"""
