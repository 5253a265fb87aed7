-- Who accepted or rejected a model's response before it enters a question set. Rows never change: the newest
-- one for a response counts.
CREATE TABLE response_verdict (
	id          INTEGER PRIMARY KEY,
	run         TEXT NOT NULL,    -- name of the run folder
	question_id TEXT NOT NULL,
	model       TEXT NOT NULL,
	sample      INTEGER NOT NULL, -- among the model's samples of the question, from 1
	text_hash   BLOB NOT NULL,    -- SHA-256 of the response: another text needs another verdict
	accepted    INTEGER NOT NULL CHECK (accepted IN (0, 1)),
	account_id  INTEGER NOT NULL REFERENCES account (id),
	at          INTEGER NOT NULL
) STRICT;
CREATE INDEX response_verdict_run ON response_verdict (run, id);
