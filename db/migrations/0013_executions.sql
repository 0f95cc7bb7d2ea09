-- What came of running programs and evaluating expressions behind a wall. A row is known by the hash of all that was
-- run, so tasks and predictions that ask for the same share it, and what has not changed is not run again.

CREATE TABLE executions (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,             -- hash of language, source, standard input or expression
    kind TEXT NOT NULL CHECK (kind IN ('run', 'evaluation')),
    engine TEXT NOT NULL,                 -- interpreter or compiler with its version
    wall TEXT NOT NULL,                   -- what protected this machine: bubblewrap, namespaces, none
    ending TEXT NOT NULL,                 -- how it ended, one of the named outcomes
    words ANY NOT NULL,                   -- the same in a sentence
    type_name ANY,                        -- of an evaluation's value
    exact INTEGER NOT NULL,               -- 1: the output is all that was written, or the whole value of builtin types
    seconds REAL NOT NULL,
    at TEXT NOT NULL,
    output ANY                            -- standard output, or the value as Python writes it; NULL = none
) STRICT;

-- Whether running a task gives its oracle, under the policy by which its study reads outputs.
CREATE TABLE task_executions (
    task_id INTEGER PRIMARY KEY REFERENCES tasks (id),
    execution_id INTEGER NOT NULL REFERENCES executions (id),
    verdict TEXT NOT NULL CHECK (verdict IN ('agrees', 'disputed', 'failed')),
    policy TEXT NOT NULL
) STRICT;
CREATE INDEX task_execution_verdict ON task_executions (verdict) WHERE verdict <> 'agrees';
CREATE INDEX task_execution ON task_executions (execution_id);

-- Findings about a response that took runs to make. They count while the task and the prediction are those of `basis`;
-- grading puts them into the grade.
CREATE TABLE execution_findings (
    response_id INTEGER NOT NULL REFERENCES responses (id),
    step TEXT NOT NULL,                   -- what looked for them
    basis BLOB NOT NULL,                  -- hash of the task's content, the prediction and how was searched
    engine TEXT NOT NULL,
    at TEXT NOT NULL,
    findings TEXT NOT NULL,               -- JSON, as in grades; an empty list = looked for and not found
    PRIMARY KEY (response_id, step)
) STRICT, WITHOUT ROWID;
