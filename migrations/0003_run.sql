-- Runs are stored from the moment they are requested, so that one that is waiting, was cancelled or was cut
-- off by a restart can be seen and run again. The result is the last column, so that lists need not read it.
-- Ids are never reused, because papers contain links to runs.
CREATE TABLE run_kept (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	study_id   INTEGER NOT NULL REFERENCES study (id),
	kind       TEXT NOT NULL,
	state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled', 'interrupted')),
	name       TEXT NOT NULL DEFAULT '',
	note       TEXT NOT NULL DEFAULT '',
	account_id INTEGER REFERENCES account (id), -- who asked for it; NULL: the command line
	created_at INTEGER NOT NULL,
	started_at INTEGER,
	ended_at   INTEGER,
	failure    TEXT NOT NULL DEFAULT '',        -- what a person can know of why it failed
	parameters TEXT NOT NULL,                   -- JSON
	input      TEXT NOT NULL DEFAULT '',        -- SHA-256 of the data taken
	virtual    INTEGER NOT NULL DEFAULT 0,      -- 1: the data of virtual participants
	complete   INTEGER NOT NULL DEFAULT 0,      -- submissions taken
	result     TEXT                             -- JSON: program, input, parameters and numbers
) STRICT;
INSERT INTO run_kept (id, study_id, kind, state, created_at, started_at, ended_at, parameters, input, virtual, complete, result)
	SELECT id, study_id, kind, 'done', created_at, created_at, created_at, coalesce(result ->> '$.parameters', '{}'), coalesce(result ->> '$.input.sha256', ''),
		coalesce(result ->> '$.people.virtual', 0), coalesce(result ->> '$.people.complete', 0), result
	FROM run;
DROP TABLE run;
ALTER TABLE run_kept RENAME TO run;
CREATE INDEX run_study ON run (study_id, kind, state, id);
