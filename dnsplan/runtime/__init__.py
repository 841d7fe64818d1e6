"""How a daemon runs: clock, clients, logs, config. No contract module may import it."""
