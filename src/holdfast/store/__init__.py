"""Where the log lives. `protocol` is the contract; `sqlite` keeps it on the disk, `memory` in a dict.

Everybody tails (`tail`), nobody is called. Lists, pages and search are projections of the log, written in the
transaction of the append that changes them, and can be rebuilt from it (`pages`).
"""
