-- Bookmarks, memos, first causes and the time that an annotator took.

-- Items that an annotator wants to come back to, recomputable from the history.
CREATE TABLE bookmarks (
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    response_id INTEGER NOT NULL REFERENCES responses (id),
    event_id INTEGER NOT NULL REFERENCES events (id),
    PRIMARY KEY (annotator_id, codebook_id, response_id)
) STRICT, WITHOUT ROWID;

-- What an annotator wrote at a line of the source or at a difference, recomputable from the history.
CREATE TABLE memos (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    place TEXT NOT NULL CHECK (place IN ('line', 'difference')),
    number INTEGER NOT NULL CHECK (number >= 1),  -- of the line or the difference
    quote ANY NOT NULL,                   -- what stood there when the memo was pinned, cut
    text ANY NOT NULL,
    event_id INTEGER NOT NULL REFERENCES events (id),
    PRIMARY KEY (response_id, codebook_id, annotator_id, place, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX memo_annotator ON memos (annotator_id, codebook_id);

-- The one of the item's tags that came first and led to the others; NULL = none is marked.
ALTER TABLE reviews ADD COLUMN first_cause_id INTEGER REFERENCES tags (id);

-- Whether the event is about a bookmark or a memo only, so that the review is what it was.
ALTER TABLE events ADD COLUMN aside INTEGER NOT NULL DEFAULT 0;

-- How long the annotator was at the item since the last event that says so; NULL = no timer ran.
ALTER TABLE events ADD COLUMN seconds REAL;

DROP VIEW tag_overview;
CREATE VIEW tag_overview AS
SELECT s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample, a.name AS annotator, a.kind,
       b.name AS codebook, w.state, k.name AS tag,
       coalesce(p.tag_id = coalesce(f.counts_as, f.id), 0) AS first_cause, e.revision, e.at, w.note
FROM reviews w
JOIN annotators a ON a.id = w.annotator_id
JOIN codebooks b ON b.id = w.codebook_id
JOIN responses r ON r.id = w.response_id
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id
LEFT JOIN (
    SELECT response_id, codebook_id, annotator_id, tag_id, max(event_id) AS event_id
    FROM counted_tags
    GROUP BY response_id, codebook_id, annotator_id, tag_id
) p ON p.response_id = w.response_id AND p.codebook_id = w.codebook_id AND p.annotator_id = w.annotator_id
LEFT JOIN tags k ON k.id = p.tag_id
LEFT JOIN tags f ON f.id = w.first_cause_id
LEFT JOIN events e ON e.id = coalesce(p.event_id, w.event_id)
WHERE r.superseded_at IS NULL;

DROP VIEW history;
CREATE VIEW history AS
SELECT e.id, e.at, a.name AS annotator, s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample,
       e.action, e.change, e.blind, e.seconds, e.origin, e.undoes, e.revision, hex(e.evidence_hash) AS evidence_hash,
       e.uuid
FROM events e
JOIN annotators a ON a.id = e.annotator_id
JOIN responses r ON r.id = e.response_id
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id;

CREATE VIEW memo_overview AS
SELECT s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample, a.name AS annotator,
       m.place, m.number, m.quote, m.text, e.at, e.revision
FROM memos m
JOIN annotators a ON a.id = m.annotator_id
JOIN events e ON e.id = m.event_id
JOIN responses r ON r.id = m.response_id
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id
WHERE r.superseded_at IS NULL;
