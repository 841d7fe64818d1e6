"""What operators may change: freeze, thaw, rollback. Each obeys the fence and the guardrails."""
