-- What was drawn from a survey for a submission, if participants differ in what they are asked or how.
CREATE TABLE survey_draw (
	submission_id INTEGER NOT NULL REFERENCES submission (id) ON DELETE CASCADE,
	instrument    TEXT NOT NULL,
	items         TEXT NOT NULL,        -- JSON list, in the order asked
	repeated      TEXT NOT NULL,        -- JSON list: asked again at the end
	reversed      INTEGER NOT NULL,     -- 1: options are shown in reverse
	PRIMARY KEY (submission_id, instrument)
) STRICT, WITHOUT ROWID;

-- The topics or items that a draw chose from, for balance.
CREATE TABLE survey_unit (
	submission_id INTEGER NOT NULL REFERENCES submission (id) ON DELETE CASCADE,
	instrument    TEXT NOT NULL,
	unit          TEXT NOT NULL,
	PRIMARY KEY (submission_id, instrument, unit)
) STRICT, WITHOUT ROWID;
