-- Kept counts of agreement: what every two annotators said of the items that both reviewed, tag by tag. Triggers bring
-- them up to date with every change of reviews and tags, so that agreement is there at once however large the file is.

-- Items that two annotators both reviewed. The first annotator is the one with the lower id.
CREATE TABLE agreement_items (
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    first_id INTEGER NOT NULL REFERENCES annotators (id),
    second_id INTEGER NOT NULL REFERENCES annotators (id),
    items INTEGER NOT NULL,
    PRIMARY KEY (codebook_id, first_id, second_id)
) STRICT, WITHOUT ROWID;

-- Of these items, those to which the first, the second and both of them gave a tag, under what it counts as.
CREATE TABLE agreement_tags (
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    first_id INTEGER NOT NULL REFERENCES annotators (id),
    second_id INTEGER NOT NULL REFERENCES annotators (id),
    tag_id INTEGER NOT NULL REFERENCES tags (id),
    by_first INTEGER NOT NULL,
    by_second INTEGER NOT NULL,
    by_both INTEGER NOT NULL,
    PRIMARY KEY (codebook_id, first_id, second_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX agreement_tag ON agreement_tags (tag_id);

-- For every two annotators who both reviewed an item, what they said of a tag that at least one of them gave it.
CREATE VIEW compared_tags AS
SELECT m.response_id, m.codebook_id, m.annotator_id AS first_id, o.annotator_id AS second_id, p.tag_id,
       max(p.annotator_id = m.annotator_id) AS by_first, max(p.annotator_id = o.annotator_id) AS by_second
FROM reviews m
JOIN reviews o ON o.response_id = m.response_id AND o.codebook_id = m.codebook_id AND o.annotator_id > m.annotator_id
JOIN counted_tags p ON p.response_id = m.response_id AND p.codebook_id = m.codebook_id
    AND p.annotator_id IN (m.annotator_id, o.annotator_id)
WHERE m.state = 'reviewed' AND o.state = 'reviewed'
GROUP BY m.response_id, m.codebook_id, m.annotator_id, o.annotator_id, p.tag_id;

INSERT INTO agreement_items (codebook_id, first_id, second_id, items)
SELECT m.codebook_id, m.annotator_id, o.annotator_id, count(*)
FROM reviews m
JOIN reviews o ON o.response_id = m.response_id AND o.codebook_id = m.codebook_id AND o.annotator_id > m.annotator_id
JOIN responses r ON r.id = m.response_id
WHERE m.state = 'reviewed' AND o.state = 'reviewed' AND r.superseded_at IS NULL
GROUP BY m.codebook_id, m.annotator_id, o.annotator_id;

INSERT INTO agreement_tags (codebook_id, first_id, second_id, tag_id, by_first, by_second, by_both)
SELECT c.codebook_id, c.first_id, c.second_id, c.tag_id, sum(c.by_first), sum(c.by_second),
       sum(c.by_first * c.by_second)
FROM compared_tags c
JOIN responses r ON r.id = c.response_id
WHERE r.superseded_at IS NULL
GROUP BY c.codebook_id, c.first_id, c.second_id, c.tag_id;

-- An item comes to be reviewed by an annotator, or no longer is.
CREATE TRIGGER agreement_reviewed AFTER UPDATE OF state ON reviews
WHEN NEW.state = 'reviewed' AND OLD.state <> 'reviewed'
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = NEW.response_id AND r.superseded_at IS NULL)
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
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = NEW.response_id AND r.superseded_at IS NULL)
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
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = OLD.response_id AND r.superseded_at IS NULL)
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
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = OLD.response_id AND r.superseded_at IS NULL)
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
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = NEW.response_id AND r.superseded_at IS NULL)
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
    AND EXISTS (SELECT 1 FROM responses r WHERE r.id = OLD.response_id AND r.superseded_at IS NULL)
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
        GROUP BY m.response_id, m.annotator_id, o.annotator_id, coalesce(k.counts_as, k.id)
    ) c
    GROUP BY c.codebook_id, c.first_id, c.second_id, c.tag_id;
END;
