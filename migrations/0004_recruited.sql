-- What the recruiter says about a submission, from its export.
CREATE TABLE recruited (
	submission_id INTEGER PRIMARY KEY REFERENCES submission (id) ON DELETE CASCADE,
	status        TEXT NOT NULL,        -- as the recruiter writes it
	code          TEXT NOT NULL,        -- that the person came back with
	seconds       INTEGER,              -- time taken by the recruiter's clock
	attributes    TEXT NOT NULL,        -- JSON object: further columns, as they are
	imported_at   INTEGER NOT NULL
) STRICT;
