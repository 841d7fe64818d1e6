"""AWS on a laptop: moto with true Route 53, race-free DynamoDB and faults on demand, on loopback."""
