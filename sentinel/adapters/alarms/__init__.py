"""Ways to reach people. Each makes one try in a bounded time and tells what came of it."""
