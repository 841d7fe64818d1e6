"""The processes that are measured, one a module. Each measures itself, and nothing else."""
