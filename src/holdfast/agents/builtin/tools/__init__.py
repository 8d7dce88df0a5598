"""What the built-in agent can do besides talking."""
