-- The truth: sessions, records, keys, epochs. Everything else can be rebuilt from it.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

-- One small row per session, rewritten by every append: nothing wide belongs here.
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    head INTEGER NOT NULL DEFAULT 0,      -- the last seq
    epoch INTEGER NOT NULL DEFAULT 0,     -- the present owner
    position INTEGER NOT NULL DEFAULT 0   -- the last n of that owner
) STRICT;

-- id = session number * 2^32 + seq: one integer key keeps a session's records together and costs no index.
CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    n INTEGER NOT NULL,
    late BLOB,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE keys (
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID;

-- How far each dead owner came, so that its spool is adopted once.
CREATE TABLE epochs (
    session INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (session, epoch)
) STRICT, WITHOUT ROWID;

-- Which files the log speaks of: a blob that none does can be collected.
CREATE TABLE attachments (
    blob TEXT NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (blob, session)
) STRICT, WITHOUT ROWID;

-- Projections: the list, the state to start from, the settled items, the words in them.

CREATE TABLE overviews (
    session INTEGER PRIMARY KEY,
    change INTEGER NOT NULL,
    place INTEGER NOT NULL,               -- 0 listed, 1 archived, 2 deleted
    active_at INTEGER NOT NULL,
    alive INTEGER NOT NULL,
    project TEXT NOT NULL,
    title TEXT NOT NULL,                  -- folded, for searching
    body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX overviews_by_change ON overviews (change);
CREATE INDEX overviews_by_activity ON overviews (place, active_at, session);
CREATE INDEX overviews_alive ON overviews (session) WHERE alive;

CREATE TABLE tags (
    tag TEXT NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (tag, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_session ON tags (session);

CREATE TABLE checkpoints (
    session INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    page INTEGER NOT NULL,
    page_items INTEGER NOT NULL,
    page_bytes INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    number INTEGER NOT NULL,              -- the turn's place in the transcript
    k INTEGER NOT NULL,
    part INTEGER NOT NULL,
    page INTEGER NOT NULL,
    turn TEXT NOT NULL,
    call TEXT,
    body BLOB NOT NULL
) STRICT;
-- Each index ends with the order that its query wants: otherwise SQLite takes the first one and walks a whole session.
CREATE UNIQUE INDEX items_by_place ON items (session, number, k, part);
CREATE INDEX items_by_page ON items (session, page, number, k, part);
CREATE INDEX items_by_turn ON items (session, turn, number) WHERE k = 0;
CREATE INDEX items_by_call ON items (session, call, number, k) WHERE call IS NOT NULL;

-- Settled items whose words are not in the index yet: indexing waits until nobody streams into the same transaction.
CREATE TABLE unindexed (
    item INTEGER PRIMARY KEY
) STRICT;

CREATE VIRTUAL TABLE words USING fts5 (
    text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
