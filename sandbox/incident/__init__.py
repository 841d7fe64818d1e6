"""The outage of October 2025, played twice: with a careless system, and with this one."""
