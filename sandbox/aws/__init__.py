"""AWS on a laptop: moto with true Route 53, race-free DynamoDB, faults on demand; loopback only."""
