-- Decisions: what an adjudicator made of a tag of an item on which annotators differ.

-- What each adjudicator decided, recomputable from the history. Of several decisions on a tag of an item the one whose
-- event is the latest, by time and then by UUID, holds.
CREATE TABLE decisions (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),  -- who decided
    tag_id INTEGER NOT NULL REFERENCES tags (id),
    verdict TEXT NOT NULL CHECK (verdict IN ('present', 'absent', 'unresolved')),
    note ANY NOT NULL,
    marks TEXT NOT NULL,                  -- JSON: who had reviewed the item then, and whether they had put the tag
    event_id INTEGER NOT NULL REFERENCES events (id),
    PRIMARY KEY (codebook_id, response_id, tag_id, annotator_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX decision_response ON decisions (response_id);
CREATE INDEX decision_tag ON decisions (tag_id);

CREATE VIEW decision_overview AS
SELECT s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample, b.name AS codebook,
       k.name AS tag, d.verdict, a.name AS adjudicator, e.at, e.revision, d.note, d.marks,
       row_number() OVER (
           PARTITION BY d.response_id, d.codebook_id, k.id ORDER BY e.at DESC, e.uuid DESC
       ) = 1 AS holds
FROM decisions d
JOIN tags p ON p.id = d.tag_id
JOIN tags k ON k.id = coalesce(p.counts_as, p.id)
JOIN annotators a ON a.id = d.annotator_id
JOIN codebooks b ON b.id = d.codebook_id
JOIN events e ON e.id = d.event_id
JOIN responses r ON r.id = d.response_id
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id
WHERE r.superseded_at IS NULL;
