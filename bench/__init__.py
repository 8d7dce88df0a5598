"""The numbers, each beside a raw limit that was measured in the same run. Run it with `python -m bench`."""
