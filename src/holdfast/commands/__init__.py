"""What `holdfast` can do, one module per command, and the list of them.

A command module has a `COMMAND`. It imports the part of the program that it drives inside its `run`, so that
`holdfast --version` and `holdfast --help` stay quick.
"""
