"""Hermes Agent: found on this machine, and spoken to through a bridge that runs under Hermes' own Python."""
