"""Holdfast: a self-hosted web workspace for AI agents. The version lives here and nowhere else."""

__version__ = "0.2.0"
