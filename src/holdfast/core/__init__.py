"""The pure heart of Holdfast: what can happen, and what is true afterwards.

Law: nothing here waits, reads a clock, or touches the world. Everything is a value or a fold over
values, so every rule of the program can be tested without a process, a file or a socket.

Read in this order: `ids`, `events` (what can happen), `records` (where it lies in the log), `items`
(what the transcript shows), `session` (the reducer), `window` (how a long session stays cheap),
`overview` (the row in the sidebar), `commands` and `decide` (what a person may do now).
"""
