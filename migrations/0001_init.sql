-- Times are milliseconds since 1970 in UTC. Free text is kept as typed.

CREATE TABLE setting (
	name  TEXT PRIMARY KEY,
	value BLOB NOT NULL
) STRICT;

CREATE TABLE study (
	id          INTEGER PRIMARY KEY,
	slug        TEXT NOT NULL,
	version     INTEGER NOT NULL,
	title       TEXT NOT NULL,
	status      TEXT NOT NULL CHECK (status IN ('draft', 'running', 'paused', 'closed')),
	hash        TEXT NOT NULL,          -- SHA-256 of the study's files
	created_at  INTEGER NOT NULL,
	launched_at INTEGER,
	closed_at   INTEGER,
	UNIQUE (slug, version)
) STRICT;

-- The study's files as they were given. From launch on they do not change.
CREATE TABLE study_file (
	study_id INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,
	path     TEXT NOT NULL,
	content  BLOB NOT NULL,
	PRIMARY KEY (study_id, path)
) STRICT;

CREATE TRIGGER study_file_frozen BEFORE UPDATE ON study_file
WHEN (SELECT status FROM study WHERE id = old.study_id) != 'draft'
BEGIN SELECT raise(ABORT, 'a launched study is frozen'); END;

-- A person within one study. Exports know only the pseudonym.
CREATE TABLE participant (
	id         INTEGER PRIMARY KEY,
	study_id   INTEGER NOT NULL REFERENCES study (id),
	pseudonym  TEXT NOT NULL UNIQUE,
	created_at INTEGER NOT NULL
) STRICT;

-- One visit to a study, as counted by the recruiter.
CREATE TABLE submission (
	id             INTEGER PRIMARY KEY,
	study_id       INTEGER NOT NULL REFERENCES study (id),
	participant_id INTEGER NOT NULL REFERENCES participant (id) ON DELETE CASCADE,
	token          TEXT NOT NULL UNIQUE, -- what the person's cookie holds
	virtual        INTEGER NOT NULL,     -- 1: walked by a program; takes no places from people
	seed           INTEGER NOT NULL,     -- of every random choice made for this submission
	outcome        TEXT NOT NULL DEFAULT '',
	round          INTEGER NOT NULL DEFAULT 1,
	step           TEXT NOT NULL,        -- path of the page where the person stands
	step_kind      TEXT NOT NULL,
	started_at     INTEGER NOT NULL,
	consented_at   INTEGER,
	last_at        INTEGER NOT NULL,     -- last answer
	expires_at     INTEGER NOT NULL,     -- reservations are live until then
	ended_at       INTEGER
) STRICT;
CREATE INDEX submission_study ON submission (study_id, outcome, expires_at);
CREATE INDEX submission_participant ON submission (participant_id);

-- The only table that knows who somebody is.
CREATE TABLE identity (
	submission_id        INTEGER PRIMARY KEY REFERENCES submission (id) ON DELETE CASCADE,
	slug                 TEXT NOT NULL,
	participant_id       INTEGER NOT NULL REFERENCES participant (id) ON DELETE CASCADE,
	external_participant TEXT NOT NULL,
	external_submission  TEXT NOT NULL,
	external_study       TEXT NOT NULL,
	UNIQUE (slug, external_submission)
) STRICT;
CREATE INDEX identity_participant ON identity (slug, external_participant);

-- Submissions of people who withdrew: a keyed hash of the recruiter's submission id, so that the link can be
-- distinguished from a new one.
CREATE TABLE withdrawal (
	slug         TEXT NOT NULL,
	fingerprint  BLOB NOT NULL,
	study_id     INTEGER NOT NULL REFERENCES study (id),
	withdrawn_at INTEGER NOT NULL,
	PRIMARY KEY (slug, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE assignment (
	submission_id INTEGER NOT NULL REFERENCES submission (id) ON DELETE CASCADE,
	position      INTEGER NOT NULL,     -- order asked, from 1
	study_id      INTEGER NOT NULL REFERENCES study (id),
	question_id   TEXT NOT NULL,
	state         TEXT NOT NULL CHECK (state IN ('reserved', 'done', 'released')),
	models        TEXT NOT NULL,        -- JSON list: whose responses, in the order shown
	votes_wanted  INTEGER NOT NULL,     -- -1 until the first draw
	assigned_at   INTEGER NOT NULL,
	PRIMARY KEY (submission_id, position),
	UNIQUE (submission_id, question_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX assignment_load ON assignment (study_id, question_id, state, submission_id);

-- The current value of every answer. See study.Kind for what scope and
-- subject are.
CREATE TABLE answer (
	submission_id INTEGER NOT NULL REFERENCES submission (id) ON DELETE CASCADE,
	kind          TEXT NOT NULL,
	scope         TEXT NOT NULL,
	subject       TEXT NOT NULL,
	value         TEXT NOT NULL,
	round         INTEGER NOT NULL,
	shown_at      INTEGER NOT NULL,     -- when the page was sent, for the value kept
	answered_at   INTEGER NOT NULL,
	active_ms     INTEGER,              -- time the page was in front, where the browser told
	revision      INTEGER NOT NULL,     -- 1 for the first value
	PRIMARY KEY (submission_id, kind, scope, subject)
) STRICT, WITHOUT ROWID;

-- Every value an answer has had, including the current one.
CREATE TABLE revision (
	submission_id INTEGER NOT NULL REFERENCES submission (id) ON DELETE CASCADE,
	kind          TEXT NOT NULL,
	scope         TEXT NOT NULL,
	subject       TEXT NOT NULL,
	revision      INTEGER NOT NULL,
	value         TEXT NOT NULL,
	shown_at      INTEGER NOT NULL,
	answered_at   INTEGER NOT NULL,
	active_ms     INTEGER,
	trail         TEXT NOT NULL,        -- choices made on the page before it was sent
	late          INTEGER NOT NULL,     -- 1: came after the reservation had expired
	PRIMARY KEY (submission_id, kind, scope, subject, revision)
) STRICT, WITHOUT ROWID;

-- What was typed on a page but not sent.
CREATE TABLE draft (
	submission_id INTEGER NOT NULL REFERENCES submission (id) ON DELETE CASCADE,
	step          TEXT NOT NULL,
	form          TEXT NOT NULL,        -- JSON object: field name to value
	saved_at      INTEGER NOT NULL,
	PRIMARY KEY (submission_id, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE statement (
	id             INTEGER PRIMARY KEY,
	study_id       INTEGER NOT NULL REFERENCES study (id),
	question_id    TEXT NOT NULL,
	submission_id  INTEGER REFERENCES submission (id), -- NULL: a seed, or withdrawn
	participant_id INTEGER REFERENCES participant (id),
	virtual        INTEGER NOT NULL DEFAULT 0, -- 1: by a virtual participant, shown to such only
	text           TEXT NOT NULL,
	state          TEXT NOT NULL CHECK (state IN ('pending', 'served', 'rejected', 'replaced', 'withdrawn')),
	moderated      INTEGER NOT NULL DEFAULT 0, -- 1: somebody looked at it
	created_at     INTEGER NOT NULL,
	drawn          INTEGER NOT NULL DEFAULT 0, -- ballots made
	agree          INTEGER NOT NULL DEFAULT 0,
	disagree       INTEGER NOT NULL DEFAULT 0,
	neutral        INTEGER NOT NULL DEFAULT 0,
	skip           INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX statement_question ON statement (study_id, question_id, state);
CREATE INDEX statement_author ON statement (submission_id, question_id);
CREATE INDEX statement_participant ON statement (participant_id);

-- A statement drawn for a person's vote; the vote itself is an answer.
CREATE TABLE ballot (
	submission_id INTEGER NOT NULL REFERENCES submission (id) ON DELETE CASCADE,
	statement_id  INTEGER NOT NULL REFERENCES statement (id) ON DELETE CASCADE,
	question_id   TEXT NOT NULL,
	position      INTEGER NOT NULL,     -- within the question, from 1
	probability   REAL NOT NULL,        -- with which it was drawn
	candidates    INTEGER NOT NULL,     -- among how many
	round         INTEGER NOT NULL,
	drawn_at      INTEGER NOT NULL,
	PRIMARY KEY (submission_id, statement_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ballot_statement ON ballot (statement_id);

CREATE TABLE account (
	id         INTEGER PRIMARY KEY,
	email      TEXT NOT NULL UNIQUE COLLATE NOCASE,
	password   TEXT NOT NULL,           -- argon2id, encoded; empty: cannot sign in by password
	role       TEXT NOT NULL CHECK (role IN ('admin', 'researcher', 'moderator', 'viewer')),
	created_at INTEGER NOT NULL,
	disabled   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE sign_in (
	token_hash BLOB PRIMARY KEY,        -- SHA-256 of the cookie's token
	account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One-time links: to sign in, or to set the first password.
CREATE TABLE sign_in_link (
	token_hash BLOB PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	reusable   INTEGER NOT NULL DEFAULT 0,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER
) STRICT, WITHOUT ROWID;

-- Analyses, with everything needed to run them again.
CREATE TABLE run (
	id         INTEGER PRIMARY KEY,
	study_id   INTEGER NOT NULL REFERENCES study (id),
	kind       TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	result     TEXT NOT NULL            -- JSON: program, input hash, parameters and numbers
) STRICT;
CREATE INDEX run_study ON run (study_id, kind, id);

-- Who did what: launches, status changes, moderation, exports.
CREATE TABLE event (
	id         INTEGER PRIMARY KEY,
	at         INTEGER NOT NULL,
	account_id INTEGER REFERENCES account (id),
	study_id   INTEGER REFERENCES study (id),
	what       TEXT NOT NULL,
	detail     TEXT NOT NULL
) STRICT;
