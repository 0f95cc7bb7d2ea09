-- Probes that annotators wrote about the run of an item's call, recomputable from the history.
CREATE TABLE own_probes (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    name ANY NOT NULL,                    -- what is asked for, whatever the words
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    n INTEGER,                            -- which visit, iteration, end or evaluation; NULL where all are counted
    variable ANY,
    question ANY NOT NULL,
    dimensions TEXT NOT NULL,             -- JSON
    answer ANY NOT NULL,                  -- JSON, from running the program
    answer_type TEXT NOT NULL,
    depth INTEGER NOT NULL,
    step INTEGER NOT NULL,
    withdrawn INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
    event_id INTEGER NOT NULL REFERENCES events (id),
    PRIMARY KEY (response_id, codebook_id, annotator_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX own_probe_annotator ON own_probes (annotator_id, codebook_id);
