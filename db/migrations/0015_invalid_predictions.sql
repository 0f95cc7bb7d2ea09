-- Invalid predictions: what turned out to have been asked wrongly, so that it counts nowhere until it is asked again.

-- What each annotator said of a prediction last, recomputable from the history. Of several the one whose event is the
-- latest, by time and then by UUID, holds.
CREATE TABLE invalidations (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    verdict TEXT NOT NULL CHECK (verdict IN ('invalid', 'valid')),
    reason ANY NOT NULL,
    event_id INTEGER NOT NULL REFERENCES events (id),
    PRIMARY KEY (response_id, codebook_id, annotator_id)
) STRICT, WITHOUT ROWID;

-- The predictions that are invalid now, with the event that holds; triggers keep it.
CREATE TABLE invalid_items (
    response_id INTEGER PRIMARY KEY REFERENCES responses (id),
    event_id INTEGER NOT NULL REFERENCES events (id)
) STRICT;

CREATE TRIGGER invalidation_said AFTER INSERT ON invalidations
BEGIN
    DELETE FROM invalid_items WHERE response_id = NEW.response_id;
    INSERT INTO invalid_items (response_id, event_id)
    SELECT response_id, event_id FROM (
        SELECT i.response_id, i.event_id, i.verdict FROM invalidations i JOIN events e ON e.id = i.event_id
        WHERE i.response_id = NEW.response_id ORDER BY e.at DESC, e.uuid DESC LIMIT 1
    )
    WHERE verdict = 'invalid';
END;

CREATE TRIGGER invalidation_taken_back AFTER DELETE ON invalidations
BEGIN
    DELETE FROM invalid_items WHERE response_id = OLD.response_id;
    INSERT INTO invalid_items (response_id, event_id)
    SELECT response_id, event_id FROM (
        SELECT i.response_id, i.event_id, i.verdict FROM invalidations i JOIN events e ON e.id = i.event_id
        WHERE i.response_id = OLD.response_id ORDER BY e.at DESC, e.uuid DESC LIMIT 1
    )
    WHERE verdict = 'invalid';
END;

CREATE VIEW invalid_overview AS
SELECT s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample, i.reason, a.name AS annotator, e.at,
       r.superseded_at
FROM invalid_items v
JOIN events e ON e.id = v.event_id
JOIN invalidations i ON i.response_id = v.response_id AND i.event_id = v.event_id
JOIN annotators a ON a.id = e.annotator_id
JOIN responses r ON r.id = v.response_id
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id;

-- Views for people who count: without what is invalid.
DROP VIEW response_overview;
DROP VIEW tag_overview;

CREATE VIEW response_overview AS
SELECT r.id AS response_id, s.name AS study, c.name AS case_name, t.arm, g.name AS setting, r.sample, r.finish,
       d.status, d.mode AS computed_mode, d.extraction, t.oracle, d.prediction, r.reply
FROM responses r
JOIN tasks t ON t.id = r.task_id
JOIN cases c ON c.id = t.case_id
JOIN studies s ON s.id = c.study_id
JOIN settings g ON g.id = r.setting_id
LEFT JOIN grades d ON d.response_id = r.id
WHERE r.superseded_at IS NULL AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id);

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
WHERE r.superseded_at IS NULL AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id);

-- An invalid prediction leaves the kept counts of agreement, and comes back when it counts again.
CREATE TRIGGER agreement_invalidated AFTER INSERT ON invalid_items
WHEN EXISTS (SELECT 1 FROM responses r WHERE r.id = NEW.response_id AND r.superseded_at IS NULL)
BEGIN
    INSERT INTO agreement_items (codebook_id, first_id, second_id, items)
    SELECT m.codebook_id, m.annotator_id, o.annotator_id, -1
    FROM reviews m
    JOIN reviews o ON o.response_id = m.response_id AND o.codebook_id = m.codebook_id
        AND o.annotator_id > m.annotator_id
    WHERE m.response_id = NEW.response_id AND m.state = 'reviewed' AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET items = items + excluded.items;
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT codebook_id, first_id, second_id, tag_id, -1 * by_first, -1 * by_second, -1 * by_first * by_second
    FROM compared_tags
    WHERE response_id = NEW.response_id
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

CREATE TRIGGER agreement_restored AFTER DELETE ON invalid_items
WHEN EXISTS (SELECT 1 FROM responses r WHERE r.id = OLD.response_id AND r.superseded_at IS NULL)
BEGIN
    INSERT INTO agreement_items (codebook_id, first_id, second_id, items)
    SELECT m.codebook_id, m.annotator_id, o.annotator_id, 1
    FROM reviews m
    JOIN reviews o ON o.response_id = m.response_id AND o.codebook_id = m.codebook_id
        AND o.annotator_id > m.annotator_id
    WHERE m.response_id = OLD.response_id AND m.state = 'reviewed' AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET items = items + excluded.items;
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT codebook_id, first_id, second_id, tag_id, 1 * by_first, 1 * by_second, 1 * by_first * by_second
    FROM compared_tags
    WHERE response_id = OLD.response_id
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

-- The triggers that keep these counts pass over invalid predictions from now on.
DROP TRIGGER agreement_reviewed;
DROP TRIGGER agreement_reviewed_anew;
DROP TRIGGER agreement_unreviewed;
DROP TRIGGER agreement_review_gone;
DROP TRIGGER agreement_tag_put;
DROP TRIGGER agreement_tag_gone;
DROP TRIGGER agreement_superseded;
DROP TRIGGER agreement_counted_otherwise;

-- An item comes to be reviewed by an annotator, or no longer is.
CREATE TRIGGER agreement_reviewed AFTER UPDATE OF state ON reviews
WHEN NEW.state = 'reviewed' AND OLD.state <> 'reviewed'
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = NEW.response_id AND r.superseded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id))
BEGIN
    INSERT INTO agreement_items (codebook_id, first_id, second_id, items)
    SELECT o.codebook_id, min(o.annotator_id, NEW.annotator_id), max(o.annotator_id, NEW.annotator_id), 1
    FROM reviews o
    WHERE o.response_id = NEW.response_id AND o.codebook_id = NEW.codebook_id AND o.annotator_id <> NEW.annotator_id
        AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET items = items + excluded.items;
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT codebook_id, min(other_id, NEW.annotator_id), max(other_id, NEW.annotator_id), tag_id,
           iif(own < other_id, mine, theirs), iif(own < other_id, theirs, mine), (mine * theirs)
    FROM (
        SELECT o.codebook_id, o.annotator_id AS other_id, NEW.annotator_id AS own, p.tag_id,
               max(p.annotator_id = NEW.annotator_id) AS mine, max(p.annotator_id = o.annotator_id) AS theirs
        FROM reviews o
        JOIN counted_tags p ON p.response_id = o.response_id AND p.codebook_id = o.codebook_id
            AND p.annotator_id IN (NEW.annotator_id, o.annotator_id)
        WHERE o.response_id = NEW.response_id AND o.codebook_id = NEW.codebook_id
            AND o.annotator_id <> NEW.annotator_id AND o.state = 'reviewed'
        GROUP BY o.annotator_id, p.tag_id
    )
    WHERE true
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

CREATE TRIGGER agreement_reviewed_anew AFTER INSERT ON reviews
WHEN NEW.state = 'reviewed'
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = NEW.response_id AND r.superseded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id))
BEGIN
    INSERT INTO agreement_items (codebook_id, first_id, second_id, items)
    SELECT o.codebook_id, min(o.annotator_id, NEW.annotator_id), max(o.annotator_id, NEW.annotator_id), 1
    FROM reviews o
    WHERE o.response_id = NEW.response_id AND o.codebook_id = NEW.codebook_id AND o.annotator_id <> NEW.annotator_id
        AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET items = items + excluded.items;
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT codebook_id, min(other_id, NEW.annotator_id), max(other_id, NEW.annotator_id), tag_id,
           iif(own < other_id, mine, theirs), iif(own < other_id, theirs, mine), (mine * theirs)
    FROM (
        SELECT o.codebook_id, o.annotator_id AS other_id, NEW.annotator_id AS own, p.tag_id,
               max(p.annotator_id = NEW.annotator_id) AS mine, max(p.annotator_id = o.annotator_id) AS theirs
        FROM reviews o
        JOIN counted_tags p ON p.response_id = o.response_id AND p.codebook_id = o.codebook_id
            AND p.annotator_id IN (NEW.annotator_id, o.annotator_id)
        WHERE o.response_id = NEW.response_id AND o.codebook_id = NEW.codebook_id
            AND o.annotator_id <> NEW.annotator_id AND o.state = 'reviewed'
        GROUP BY o.annotator_id, p.tag_id
    )
    WHERE true
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

CREATE TRIGGER agreement_unreviewed AFTER UPDATE OF state ON reviews
WHEN OLD.state = 'reviewed' AND NEW.state <> 'reviewed'
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = OLD.response_id AND r.superseded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id))
BEGIN
    INSERT INTO agreement_items (codebook_id, first_id, second_id, items)
    SELECT o.codebook_id, min(o.annotator_id, OLD.annotator_id), max(o.annotator_id, OLD.annotator_id), -1
    FROM reviews o
    WHERE o.response_id = OLD.response_id AND o.codebook_id = OLD.codebook_id AND o.annotator_id <> OLD.annotator_id
        AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET items = items + excluded.items;
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT codebook_id, min(other_id, OLD.annotator_id), max(other_id, OLD.annotator_id), tag_id,
           -iif(own < other_id, mine, theirs), -iif(own < other_id, theirs, mine), -(mine * theirs)
    FROM (
        SELECT o.codebook_id, o.annotator_id AS other_id, OLD.annotator_id AS own, p.tag_id,
               max(p.annotator_id = OLD.annotator_id) AS mine, max(p.annotator_id = o.annotator_id) AS theirs
        FROM reviews o
        JOIN counted_tags p ON p.response_id = o.response_id AND p.codebook_id = o.codebook_id
            AND p.annotator_id IN (OLD.annotator_id, o.annotator_id)
        WHERE o.response_id = OLD.response_id AND o.codebook_id = OLD.codebook_id
            AND o.annotator_id <> OLD.annotator_id AND o.state = 'reviewed'
        GROUP BY o.annotator_id, p.tag_id
    )
    WHERE true
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

CREATE TRIGGER agreement_review_gone AFTER DELETE ON reviews
WHEN OLD.state = 'reviewed'
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = OLD.response_id AND r.superseded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id))
BEGIN
    INSERT INTO agreement_items (codebook_id, first_id, second_id, items)
    SELECT o.codebook_id, min(o.annotator_id, OLD.annotator_id), max(o.annotator_id, OLD.annotator_id), -1
    FROM reviews o
    WHERE o.response_id = OLD.response_id AND o.codebook_id = OLD.codebook_id AND o.annotator_id <> OLD.annotator_id
        AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET items = items + excluded.items;
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT codebook_id, min(other_id, OLD.annotator_id), max(other_id, OLD.annotator_id), tag_id,
           -iif(own < other_id, mine, theirs), -iif(own < other_id, theirs, mine), -(mine * theirs)
    FROM (
        SELECT o.codebook_id, o.annotator_id AS other_id, OLD.annotator_id AS own, p.tag_id,
               max(p.annotator_id = OLD.annotator_id) AS mine, max(p.annotator_id = o.annotator_id) AS theirs
        FROM reviews o
        JOIN counted_tags p ON p.response_id = o.response_id AND p.codebook_id = o.codebook_id
            AND p.annotator_id IN (OLD.annotator_id, o.annotator_id)
        WHERE o.response_id = OLD.response_id AND o.codebook_id = OLD.codebook_id
            AND o.annotator_id <> OLD.annotator_id AND o.state = 'reviewed'
        GROUP BY o.annotator_id, p.tag_id
    )
    WHERE true
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

-- A reviewed item gets a tag or loses it; of several that count as one the first and the last decide.
CREATE TRIGGER agreement_tag_put AFTER INSERT ON applied_tags
WHEN EXISTS (
    SELECT 1 FROM reviews w WHERE w.response_id = NEW.response_id AND w.codebook_id = NEW.codebook_id
        AND w.annotator_id = NEW.annotator_id AND w.state = 'reviewed'
) AND NOT EXISTS (
    SELECT 1 FROM counted_tags p JOIN tags k ON k.id = NEW.tag_id
    WHERE p.response_id = NEW.response_id AND p.codebook_id = NEW.codebook_id AND p.annotator_id = NEW.annotator_id
        AND p.tag_id = coalesce(k.counts_as, k.id) AND p.applied_tag_id <> k.id
)
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = NEW.response_id AND r.superseded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id))
BEGIN
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT o.codebook_id, min(o.annotator_id, NEW.annotator_id), max(o.annotator_id, NEW.annotator_id),
           coalesce(k.counts_as, k.id), (NEW.annotator_id < o.annotator_id), (NEW.annotator_id > o.annotator_id),
           EXISTS (
               SELECT 1 FROM counted_tags p WHERE p.response_id = o.response_id AND p.codebook_id = o.codebook_id
                   AND p.annotator_id = o.annotator_id AND p.tag_id = coalesce(k.counts_as, k.id)
           )
    FROM reviews o
    JOIN tags k ON k.id = NEW.tag_id
    WHERE o.response_id = NEW.response_id AND o.codebook_id = NEW.codebook_id AND o.annotator_id <> NEW.annotator_id
        AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

CREATE TRIGGER agreement_tag_gone AFTER DELETE ON applied_tags
WHEN EXISTS (
    SELECT 1 FROM reviews w WHERE w.response_id = OLD.response_id AND w.codebook_id = OLD.codebook_id
        AND w.annotator_id = OLD.annotator_id AND w.state = 'reviewed'
) AND NOT EXISTS (
    SELECT 1 FROM counted_tags p JOIN tags k ON k.id = OLD.tag_id
    WHERE p.response_id = OLD.response_id AND p.codebook_id = OLD.codebook_id AND p.annotator_id = OLD.annotator_id
        AND p.tag_id = coalesce(k.counts_as, k.id) AND p.applied_tag_id <> k.id
)
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = OLD.response_id AND r.superseded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id))
BEGIN
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT o.codebook_id, min(o.annotator_id, OLD.annotator_id), max(o.annotator_id, OLD.annotator_id),
           coalesce(k.counts_as, k.id), -(OLD.annotator_id < o.annotator_id), -(OLD.annotator_id > o.annotator_id),
           -EXISTS (
               SELECT 1 FROM counted_tags p WHERE p.response_id = o.response_id AND p.codebook_id = o.codebook_id
                   AND p.annotator_id = o.annotator_id AND p.tag_id = coalesce(k.counts_as, k.id)
           )
    FROM reviews o
    JOIN tags k ON k.id = OLD.tag_id
    WHERE o.response_id = OLD.response_id AND o.codebook_id = OLD.codebook_id AND o.annotator_id <> OLD.annotator_id
        AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

-- Other content takes the place of a response, whose reviews count no longer.
CREATE TRIGGER agreement_superseded AFTER UPDATE OF superseded_at ON responses
WHEN (OLD.superseded_at IS NULL) <> (NEW.superseded_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = NEW.id)
    AND EXISTS (SELECT 1 FROM reviews w WHERE w.response_id = NEW.id AND w.state = 'reviewed')
BEGIN
    INSERT INTO agreement_items (codebook_id, first_id, second_id, items)
    SELECT m.codebook_id, m.annotator_id, o.annotator_id, iif(NEW.superseded_at IS NULL, 1, -1)
    FROM reviews m
    JOIN reviews o ON o.response_id = m.response_id AND o.codebook_id = m.codebook_id
        AND o.annotator_id > m.annotator_id
    WHERE m.response_id = NEW.id AND m.state = 'reviewed' AND o.state = 'reviewed'
    ON CONFLICT DO UPDATE SET items = items + excluded.items;
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT codebook_id, first_id, second_id, tag_id, sign * by_first, sign * by_second, sign * by_first * by_second
    FROM compared_tags, (SELECT iif(NEW.superseded_at IS NULL, 1, -1) AS sign)
    WHERE response_id = NEW.id
    ON CONFLICT DO UPDATE SET by_first = by_first + excluded.by_first, by_second = by_second + excluded.by_second,
        by_both = by_both + excluded.by_both;
END;

-- A tag comes to count as another one: the counts of both are made anew from the items that have either.
CREATE TRIGGER agreement_counted_otherwise AFTER UPDATE OF counts_as ON tags
WHEN OLD.counts_as IS NOT NEW.counts_as
BEGIN
    DELETE FROM agreement_tags
    WHERE tag_id IN (coalesce(OLD.counts_as, OLD.id), coalesce(NEW.counts_as, NEW.id));
    INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
    SELECT c.codebook_id, c.first_id, c.second_id, c.tag_id, sum(c.by_first), sum(c.by_second),
           sum(c.by_first * c.by_second)
    FROM (
        SELECT m.codebook_id, m.annotator_id AS first_id, o.annotator_id AS second_id,
               coalesce(k.counts_as, k.id) AS tag_id,
               max(a.annotator_id = m.annotator_id) AS by_first, max(a.annotator_id = o.annotator_id) AS by_second
        FROM tags k
        JOIN applied_tags a ON a.tag_id = k.id
        JOIN responses r ON r.id = a.response_id
        JOIN reviews m ON m.response_id = a.response_id AND m.codebook_id = a.codebook_id
        JOIN reviews o ON o.response_id = m.response_id AND o.codebook_id = m.codebook_id
            AND o.annotator_id > m.annotator_id
        WHERE k.codebook_id = NEW.codebook_id AND a.annotator_id IN (m.annotator_id, o.annotator_id)
            AND coalesce(k.counts_as, k.id) IN (coalesce(OLD.counts_as, OLD.id), coalesce(NEW.counts_as, NEW.id))
            AND m.state = 'reviewed' AND o.state = 'reviewed' AND r.superseded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id)
        GROUP BY m.response_id, m.annotator_id, o.annotator_id, coalesce(k.counts_as, k.id)
    ) c
    GROUP BY c.codebook_id, c.first_id, c.second_id, c.tag_id;
END;
