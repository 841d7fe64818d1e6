"""Measures this project beside octoDNS on the same zones and the same stand-in for AWS.

Nothing of the product imports this package, and no test asserts a time.
"""
