-- The audit file. Text that SQLite's TEXT cannot hold exactly (lone surrogates, NUL, bytes that are not UTF-8) is kept
-- as a BLOB in the same column, hence ANY; names are ANY for the same reason. Times are UTC, ISO 8601.

CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    name ANY NOT NULL UNIQUE,
    description ANY,
    provenance ANY,
    extra TEXT NOT NULL DEFAULT '{}',
    imported_at TEXT NOT NULL
) STRICT;

CREATE TABLE studies (
    id INTEGER PRIMARY KEY,
    name ANY NOT NULL UNIQUE,
    policy TEXT NOT NULL,
    envelope TEXT NOT NULL,
    cluster TEXT NOT NULL CHECK (cluster IN ('program', 'problem')),
    codebook ANY NOT NULL,
    samples INTEGER,
    extra TEXT NOT NULL DEFAULT '{}'
) STRICT;

-- Exact source bytes, identified by their SHA-256.
CREATE TABLE programs (
    id INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL UNIQUE,
    source ANY NOT NULL,
    lines INTEGER NOT NULL
) STRICT;

-- What uncertainty is computed over: a clean source program (its SHA-256) or a problem (its key).
CREATE TABLE clusters (
    id INTEGER PRIMARY KEY,
    name ANY NOT NULL UNIQUE
) STRICT;

CREATE TABLE cases (
    id INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES studies (id),
    name ANY NOT NULL,
    UNIQUE (study_id, name)
) STRICT;

CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    case_id INTEGER NOT NULL REFERENCES cases (id),
    arm ANY NOT NULL,
    cluster_id INTEGER NOT NULL REFERENCES clusters (id),
    program_id INTEGER NOT NULL REFERENCES programs (id),
    clean_program_id INTEGER NOT NULL REFERENCES programs (id),
    lines INTEGER NOT NULL,               -- of the clean source
    content_hash BLOB NOT NULL,           -- of all that was imported of the task
    shown_hash BLOB NOT NULL,             -- of what a model is shown of it
    superseded_at TEXT,                   -- set when other content took this key
    language ANY NOT NULL,
    target TEXT NOT NULL,
    has_clean_source INTEGER NOT NULL,
    problem ANY,
    implementation ANY,
    test ANY,
    details TEXT NOT NULL DEFAULT '{}',   -- JSON: checkpoint, prompt, question, answer type, dimensions, measures, facets, unknown keys
    input ANY NOT NULL,
    oracle ANY                            -- text, or JSON text for verdict and probe; NULL = not known
) STRICT;
CREATE UNIQUE INDEX live_task ON tasks (case_id, arm) WHERE superseded_at IS NULL;
CREATE INDEX task_cluster ON tasks (cluster_id);
CREATE INDEX task_clean_program ON tasks (clean_program_id);
CREATE INDEX task_program ON tasks (program_id);

-- Facets and measures of tasks again, one a row, so that each can be filtered and tabulated.
CREATE TABLE facets (
    name ANY NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('facet', 'measure')),
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    value ANY,
    PRIMARY KEY (task_id, name, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX facet_name ON facets (name, kind);

CREATE TABLE settings (
    id INTEGER PRIMARY KEY,
    name ANY NOT NULL UNIQUE,
    model ANY,
    mode ANY,
    prompting ANY,
    facets TEXT NOT NULL DEFAULT '{}',
    extra TEXT NOT NULL DEFAULT '{}'
) STRICT;

-- The facets of settings again, one a row, so that each can be filtered and tabulated.
CREATE TABLE setting_facets (
    setting_id INTEGER NOT NULL REFERENCES settings (id),
    name ANY NOT NULL,
    value ANY,
    PRIMARY KEY (setting_id, name)
) STRICT, WITHOUT ROWID;

-- Which cells were planned: every task of the study's arm, with this setting, so many samples.
CREATE TABLE planned_cells (
    study_id INTEGER NOT NULL REFERENCES studies (id),
    arm ANY NOT NULL,
    setting_id INTEGER NOT NULL REFERENCES settings (id),
    samples INTEGER NOT NULL,
    PRIMARY KEY (study_id, arm, setting_id)
) STRICT, WITHOUT ROWID;

-- One raw reply, or a recorded non-response (reply is NULL). Bulky columns come last.
CREATE TABLE responses (
    id INTEGER PRIMARY KEY,
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    setting_id INTEGER NOT NULL REFERENCES settings (id),
    sample INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    superseded_at TEXT,                   -- set when other content took this key
    finish ANY,
    reply ANY,
    reasoning ANY,
    error ANY,
    extra ANY                             -- JSON: usage, seconds, unknown keys
) STRICT;
CREATE UNIQUE INDEX live_response ON responses (task_id, setting_id, sample) WHERE superseded_at IS NULL;

CREATE TABLE grades (
    response_id INTEGER PRIMARY KEY REFERENCES responses (id),
    status TEXT NOT NULL,
    mode TEXT NOT NULL,
    extraction TEXT NOT NULL,
    policy TEXT NOT NULL,
    non_literal INTEGER NOT NULL,
    graded_at TEXT NOT NULL,
    prediction ANY,
    findings TEXT NOT NULL                -- JSON: the primary computed mode, then the others, with evidence and offsets
) STRICT;
CREATE INDEX grade_status ON grades (status);
CREATE INDEX grade_mode ON grades (mode);

CREATE TABLE annotators (
    id INTEGER PRIMARY KEY,
    name ANY NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'model', 'computed'))
) STRICT;

CREATE TABLE codebooks (
    id INTEGER PRIMARY KEY,
    name ANY NOT NULL UNIQUE
) STRICT;

CREATE TABLE codebook_revisions (
    id INTEGER PRIMARY KEY,
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    revision INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    text ANY NOT NULL,                    -- the codebook as YAML
    created_at TEXT NOT NULL,
    UNIQUE (codebook_id, revision)
) STRICT;

CREATE TABLE tags (
    id INTEGER PRIMARY KEY,
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    name ANY NOT NULL,                    -- the tag's id in the codebook
    UNIQUE (codebook_id, name)
) STRICT;

-- Everything that anybody decided, in order. Nothing here is ever changed or taken out.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    revision INTEGER NOT NULL,            -- of the codebook
    action TEXT NOT NULL,                 -- tag, untag, reviewed, nothing, defer, resume, note, put, undo, redo
    change TEXT NOT NULL,                 -- JSON: what it changed, from and to
    undoes INTEGER REFERENCES events (id),-- the event that an undo or a redo is about
    origin TEXT NOT NULL CHECK (origin IN ('review', 'command', 'import')),
    evidence_hash BLOB NOT NULL,          -- of the task and the response that were shown
    at TEXT NOT NULL                      -- the annotator's clock
) STRICT;
CREATE INDEX event_annotator ON events (annotator_id, id);
CREATE INDEX event_response ON events (response_id);
CREATE TRIGGER events_keep_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;
CREATE TRIGGER events_keep_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;

-- Current states, recomputable from the history. No row = not reviewed.
CREATE TABLE reviews (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    state TEXT NOT NULL CHECK (state IN ('not-reviewed', 'in-progress', 'reviewed', 'deferred')),
    note ANY NOT NULL DEFAULT '',
    updated_at TEXT NOT NULL,
    event_id INTEGER NOT NULL REFERENCES events (id),
    PRIMARY KEY (response_id, codebook_id, annotator_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_annotator ON reviews (annotator_id, codebook_id, state);

CREATE TABLE applied_tags (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    codebook_id INTEGER NOT NULL REFERENCES codebooks (id),
    annotator_id INTEGER NOT NULL REFERENCES annotators (id),
    tag_id INTEGER NOT NULL REFERENCES tags (id),
    event_id INTEGER NOT NULL REFERENCES events (id),
    PRIMARY KEY (response_id, codebook_id, annotator_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX applied_tag_tag ON applied_tags (tag_id);
