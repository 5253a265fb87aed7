-- What can change while a launched study runs, in addition to its frozen files: who may see new statements,
-- and what people are paid.
CREATE TABLE study_setting (
	study_id INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,
	name     TEXT NOT NULL,
	value    TEXT NOT NULL,
	PRIMARY KEY (study_id, name)
) STRICT, WITHOUT ROWID;

-- Decisions of moderation. Those made at once share a batch, which is the id of the first, and are undone
-- together.
CREATE TABLE verdict (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	batch        INTEGER NOT NULL,
	statement_id INTEGER NOT NULL REFERENCES statement (id) ON DELETE CASCADE,
	account_id   INTEGER REFERENCES account (id),
	at           INTEGER NOT NULL,
	accepted     INTEGER NOT NULL,      -- 0: rejected
	reason       TEXT NOT NULL,         -- why rejected, from a fixed list; may be empty
	note         TEXT NOT NULL,
	was          TEXT NOT NULL,         -- the statement's state before
	was_seen     INTEGER NOT NULL,      -- its moderated before
	undone_at    INTEGER,
	undone_by    INTEGER REFERENCES account (id)
) STRICT;
CREATE INDEX verdict_statement ON verdict (statement_id, id);
CREATE INDEX verdict_batch ON verdict (batch);

-- What may be personal data in the text, or that it looks empty: kinds of study.Hint, each with a space on
-- both sides. NULL: not checked yet.
ALTER TABLE statement ADD COLUMN hints TEXT;

CREATE INDEX statement_queue ON statement (study_id, state, moderated, submission_id);
CREATE INDEX statement_tally ON statement (study_id, virtual, submission_id, question_id, state, agree, disagree, neutral);
