"""What a daemon shows of itself over HTTP on loopback: a page, its health, its metrics."""
