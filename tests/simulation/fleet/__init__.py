"""Many zones behind one account's limit, in virtual time: what outages and floods of plans cost.

Three enactors as their daemons run them, each with its own share of the requests, on the product's
Route 53 adapter, token bucket and retry layer. Route 53 answers five requests a second for all of
them, after a while, and some of its answers are lost.
"""
