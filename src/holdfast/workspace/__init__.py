"""The folder that a session works in, and what may be touched there."""
