"""Where targets are read from: files, commands, web addresses, load balancers."""
