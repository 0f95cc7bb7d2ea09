-- Subjects are programs and probes that people judge: items, but no answers of anybody.
DROP VIEW response_overview;

CREATE VIEW response_overview AS
SELECT r.id AS response_id, s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample, r.finish,
       d.status, d.mode AS computed_mode, d.extraction, t.oracle, d.prediction, r.reply
FROM responses r
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id
LEFT JOIN grades d ON d.response_id = r.id
WHERE r.superseded_at IS NULL AND t.target <> 'subject'
    AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id);
