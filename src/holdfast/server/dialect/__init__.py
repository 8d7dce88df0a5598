"""The wire of hermes-webui, for clients that speak it: a translation of the native parts, which holds no truth."""
