"""Look into a database, or harm it, without Holdfast: `look.py PATH SQL`. Prints the rows as JSON."""

import json
import sys

import apsw

connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(60_000)  # a store that is open syncs when it likes
rows = connection.execute(sys.argv[2]).fetchall()
connection.close()
print(json.dumps([[value.hex() if isinstance(value, bytes) else value for value in row] for row in rows]))
