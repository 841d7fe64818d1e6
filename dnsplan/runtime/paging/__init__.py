"""Ways to reach people, for every daemon: what is told, kept until it is taken, and how it gets
there. Each sink makes one try in a bounded time and tells what came of it."""
