-- Measures that the program computed of tasks, apart from those that came with them, which win.

-- Which tasks were measured, and how that ended; a task that was replaced is another one and is measured anew.
CREATE TABLE measured_tasks (
    task_id INTEGER PRIMARY KEY REFERENCES tasks (id),
    engine TEXT NOT NULL,                 -- interpreter with its version
    ending TEXT NOT NULL,                 -- 'measured', or why the run could not be
    at TEXT NOT NULL
) STRICT;

CREATE TABLE computed_measures (
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    name TEXT NOT NULL,
    value ANY NOT NULL,
    PRIMARY KEY (task_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX computed_measure_name ON computed_measures (name);
