"""Makes keys: a file with the secret one, and the lines of the config with the public one."""
