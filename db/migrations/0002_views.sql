-- Views for people who open the file in sqlite3 or Datasette.

CREATE VIEW response_overview AS
SELECT r.id AS response_id, s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample, r.finish,
       d.status, d.mode AS computed_mode, d.extraction, t.oracle, d.prediction, r.reply
FROM responses r
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id
LEFT JOIN grades d ON d.response_id = r.id
WHERE r.superseded_at IS NULL;

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
LEFT JOIN applied_tags p
    ON p.response_id = w.response_id AND p.codebook_id = w.codebook_id AND p.annotator_id = w.annotator_id
LEFT JOIN tags k ON k.id = p.tag_id
LEFT JOIN events e ON e.id = coalesce(p.event_id, w.event_id)
WHERE r.superseded_at IS NULL;

CREATE VIEW history AS
SELECT e.id, e.at, a.name AS annotator, s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample,
       e.action, e.change, e.origin, e.undoes, e.revision, hex(e.evidence_hash) AS evidence_hash, e.uuid
FROM events e
JOIN annotators a ON a.id = e.annotator_id
JOIN responses r ON r.id = e.response_id
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id;
