"""The folder that an agent works in, and what of the disk it may have through us."""
