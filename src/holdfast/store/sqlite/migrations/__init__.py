"""The steps of the store's format, oldest first, each with its reason in its name. Steps only add."""
