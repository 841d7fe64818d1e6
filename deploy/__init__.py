"""What is deployed, and what deploys it."""
