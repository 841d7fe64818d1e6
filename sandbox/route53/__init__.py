"""Route 53 as it behaves, and nothing else: no moto, no HTTP, no clock of its own.

It is an oracle, so it shares no code with the product that it judges.
"""
