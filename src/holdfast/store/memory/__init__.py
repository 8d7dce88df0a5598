"""The store in a dict: `store` keeps the contract of `protocol`, `log` is one session, `shelf` its settled items."""
