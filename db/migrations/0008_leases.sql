-- Leases: items that somebody holds for a while, so that no more people review one than are wanted. They are no part of
-- the history: a lease that has expired counts for nothing, and its row may be taken out at any time.

CREATE TABLE leases (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    session TEXT NOT NULL,                -- who renews it: another program of the same person cannot
    taken_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (response_id, codebook_id, annotator_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_session ON leases (session);
CREATE INDEX lease_expiry ON leases (expires_at);
