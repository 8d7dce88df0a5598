-- A fork has its records up to `last`, and the items of its turns `first` to `last`, with the sessions that wrote them
-- (`holder`). Records never change; before one of the items does, whoever shares it takes a copy.

CREATE TABLE shared_records (
    session INTEGER NOT NULL,
    last INTEGER NOT NULL,                -- from where the row before ends
    holder INTEGER NOT NULL,
    PRIMARY KEY (session, last)
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_records_by_holder ON shared_records (holder);

CREATE TABLE shared_items (
    session INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    holder INTEGER NOT NULL,
    PRIMARY KEY (session, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_items_by_holder ON shared_items (holder, last);

-- The settled items that a session shows, wherever they lie.
CREATE VIEW transcripts AS
SELECT session AS reader, id, number, k, part, page, turn, call, body FROM items
UNION ALL
SELECT s.session, i.id, i.number, i.k, i.part, i.page, i.turn, i.call, i.body
FROM shared_items s JOIN items i ON i.session = s.holder AND i.number BETWEEN s.first AND s.last;
