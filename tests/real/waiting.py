"""How long an approval is left waiting, with every real agent."""

PATIENT = 90.0
"""Seconds: longer than Hermes, left to itself, would wait."""
