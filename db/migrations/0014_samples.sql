-- Samples: an assignment can be of a few drawn items only, which are the same for all who are given their cluster.

ALTER TABLE assignments ADD COLUMN take INTEGER CHECK (take >= 1);   -- so many of each group; NULL = all items
ALTER TABLE assignments ADD COLUMN per TEXT NOT NULL DEFAULT '[]';   -- a JSON array of the dimensions that make groups
ALTER TABLE assignments ADD COLUMN ordering TEXT NOT NULL DEFAULT '';   -- in which order they were taken; '' = none

-- By names and not by reply: a reply that is imported anew stays in the sample.
CREATE TABLE sampled_items (
    assignment_id INTEGER NOT NULL REFERENCES assignments (id),
    case_id INTEGER NOT NULL REFERENCES cases (id),
    arm ANY NOT NULL,
    setting_id INTEGER NOT NULL REFERENCES settings (id),
    sample INTEGER NOT NULL,
    PRIMARY KEY (assignment_id, case_id, arm, setting_id, sample)
) STRICT, WITHOUT ROWID;
