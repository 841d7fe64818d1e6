"""What stands where, zone by zone: read once, shaped by pure rules, shown by several commands."""
