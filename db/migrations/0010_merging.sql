-- Merging: what each event and each revision came after, so that what was written apart can be put in one order.

-- The annotator's event before this one on the item, as the file had it then; NULL = their first on it.
ALTER TABLE events ADD COLUMN follows INTEGER REFERENCES events (id);

DROP TRIGGER events_keep_update;
UPDATE events SET follows = (
    SELECT max(p.id) FROM events p
    WHERE p.response_id = events.response_id AND p.annotator_id = events.annotator_id AND p.id < events.id
);
CREATE TRIGGER events_keep_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;

-- A JSON array of the revisions that this one came after: the one before it; two where histories were joined.
ALTER TABLE codebook_revisions ADD COLUMN follows TEXT NOT NULL DEFAULT '[]';
UPDATE codebook_revisions SET follows = json_array(revision - 1) WHERE revision > 1;
