-- Changes of codebooks: what a tag counts as, what each revision changed, and which applications need another look.

-- The tag that applications of this one count as, by the newest revision; NULL = this one itself. Applications are never
-- rewritten: a merged or renamed tag keeps its rows and its history, and is counted under another one.
ALTER TABLE tags ADD COLUMN counts_as INTEGER REFERENCES tags (id);

-- What the revision changed; a revision that came with a file has no row.
CREATE TABLE codebook_changes (
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    revision INTEGER NOT NULL,
    action TEXT NOT NULL,
    words ANY NOT NULL,                   -- in a sentence
    PRIMARY KEY (codebook_id, revision)
) STRICT, WITHOUT ROWID;

-- Items that carry the tag and were judged last before the revision need another look.
CREATE TABLE outdated_tags (
    tag_id INTEGER NOT NULL REFERENCES tags (id),
    revision INTEGER NOT NULL,
    reason ANY NOT NULL,
    all_reviewed INTEGER NOT NULL,        -- whether items that were reviewed without the tag need it too
    PRIMARY KEY (tag_id, revision)
) STRICT, WITHOUT ROWID;

CREATE INDEX event_undoes ON events (undoes) WHERE undoes IS NOT NULL;

-- Applied tags under the tag that they count as; an item has two rows where two of its tags count as one.
CREATE VIEW counted_tags AS
SELECT p.response_id, p.codebook_id, p.annotator_id, coalesce(k.counts_as, k.id) AS tag_id, p.event_id,
       k.id AS applied_tag_id
FROM applied_tags p
JOIN tags k ON k.id = p.tag_id;

DROP VIEW tag_overview;
CREATE VIEW tag_overview AS
SELECT s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample, a.name AS annotator, a.kind,
       b.name AS codebook, w.state, k.name AS tag, e.revision, e.at, w.note
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
LEFT JOIN events e ON e.id = coalesce(p.event_id, w.event_id)
WHERE r.superseded_at IS NULL;
