-- Saved filters: a name for a filter and an order, for everyone who works on the file.

CREATE TABLE saved_filters (
    name ANY NOT NULL PRIMARY KEY,
    filter ANY NOT NULL,
    ordering TEXT NOT NULL,               -- one of the orders; '' = the usual one
    saved_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The columns that an annotator chose for the queue.
CREATE TABLE queue_columns (
    annotator ANY NOT NULL PRIMARY KEY,
    columns TEXT NOT NULL                 -- a JSON array of names
) STRICT, WITHOUT ROWID;
