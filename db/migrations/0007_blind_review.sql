-- Blind review: who looked at what was hidden, and which annotators are later passes of a person.

-- Items whose hidden parts an annotator had shown, recomputable from the history.
CREATE TABLE reveals (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    event_id INTEGER NOT NULL REFERENCES events (id),
    PRIMARY KEY (response_id, codebook_id, annotator_id)
) STRICT, WITHOUT ROWID;

-- Whether the annotator did it while a blind review hid what it hides.
ALTER TABLE events ADD COLUMN blind INTEGER NOT NULL DEFAULT 0;

-- A later pass of a person over own items (`ana#2`) is an annotator that names the person; NULL = no later pass.
ALTER TABLE annotators ADD COLUMN pass_of INTEGER REFERENCES annotators (id);
