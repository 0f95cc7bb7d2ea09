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

DROP VIEW history;
CREATE VIEW history AS
SELECT e.id, e.at, a.name AS annotator, s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample,
       e.action, e.change, e.blind, e.origin, e.undoes, e.revision, hex(e.evidence_hash) AS evidence_hash, e.uuid
FROM events e
JOIN annotators a ON a.id = e.annotator_id
JOIN responses r ON r.id = e.response_id
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id;
