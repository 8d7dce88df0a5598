"""Sessions that come from other programs, and sessions that leave as files."""
