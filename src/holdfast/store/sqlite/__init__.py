"""The store on the disk: SQLite through apsw, and through nothing else.

Inside our processes nobody opens the database files except apsw: closing any other handle on them drops SQLite's
locks for the whole process. Sizes come from `os.stat`, copies from SQLite's backup API.

`gate` lets one writer in at a time; `worker` is the thread that writes; `writing` and `reading` hold the SQL;
`committing` is a transaction of the writer, `folding` what follows from new records; `shelf` keeps settled items;
`bell` tells other processes; `store` joins them into the contract of `protocol`.
"""
