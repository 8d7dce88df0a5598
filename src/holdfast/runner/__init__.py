"""One process per session: claims it, hosts one agent, executes its turns, writes what happens.

It outlives the server. It learns of what people want by reading the log, and tells what happens by appending to it.
`outbox` carries facts into the store, `asks` holds what waits for a person, `context` tells an agent what was said
before it came, `runner` decides what is next.
"""
