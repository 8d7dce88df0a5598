-- Two more projections: what was used in each hour, and how far each session's log is counted in it. They are written with
-- the checkpoint. Where `counts.seq` is not the checkpoint's, whoever wrote that did not count: the session is counted anew.

CREATE TABLE figures (
    hour INTEGER NOT NULL,                -- since 1970
    session INTEGER NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    turns INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    approvals INTEGER NOT NULL,
    run_ms INTEGER NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    PRIMARY KEY (hour, session, agent, model) -- no index by session: one more page at every checkpoint, for purges alone
) STRICT, WITHOUT ROWID;

CREATE TABLE counts (
    session INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    bytes INTEGER NOT NULL                -- of the events up to seq
) STRICT;

-- Checkpoints are wide; what is looked for among all of them is only how far they reach.
CREATE INDEX checkpoints_by_seq ON checkpoints (session, seq);
