-- Who is to review what: whole clusters, drawn for one codebook. The items are those of the filter in these clusters.

CREATE TABLE assignments (
    id INTEGER PRIMARY KEY,
    codebook_id INTEGER NOT NULL UNIQUE REFERENCES codebooks (id),
    filter ANY NOT NULL,
    overlap INTEGER NOT NULL CHECK (overlap >= 1),   -- annotators an item
    seed INTEGER NOT NULL,
    made_at TEXT NOT NULL
) STRICT;

CREATE TABLE assigned_clusters (
    assignment_id INTEGER NOT NULL REFERENCES assignments (id),
    cluster_id INTEGER NOT NULL REFERENCES clusters (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    PRIMARY KEY (cluster_id, annotator_id, assignment_id)
) STRICT, WITHOUT ROWID;
