"""The Agent Client Protocol, version 1, from the client's side."""
