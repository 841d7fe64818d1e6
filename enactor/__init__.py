"""One enactor per availability zone: it makes Route 53 hold what the newest plan states."""
