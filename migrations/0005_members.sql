-- An account without rights on the whole server is a member of single studies.
ALTER TABLE account ADD COLUMN rights TEXT NOT NULL DEFAULT 'member' CHECK (rights IN ('admin', 'researcher', 'moderator', 'viewer', 'member'));
UPDATE account SET rights = role;
ALTER TABLE account DROP COLUMN role;
ALTER TABLE account RENAME COLUMN rights TO role;

-- What accounts may do on single studies. A slug means all versions of a study, and a draft that is replaced.
CREATE TABLE member (
	slug       TEXT NOT NULL,
	account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	role       TEXT NOT NULL CHECK (role IN ('admin', 'researcher', 'moderator', 'viewer')),
	since      INTEGER NOT NULL,
	PRIMARY KEY (slug, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_account ON member (account_id);

-- Tokens with which scripts download in someone's name.
CREATE TABLE access_token (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	name       TEXT NOT NULL,
	token_hash BLOB NOT NULL UNIQUE,     -- SHA-256 of the token, which is shown once
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER                   -- to the minute
) STRICT;
CREATE INDEX access_token_account ON access_token (account_id);

-- Events outlive a draft that is replaced: they name their study by its slug.
CREATE TABLE event_with_slug (
	id         INTEGER PRIMARY KEY,
	at         INTEGER NOT NULL,
	account_id INTEGER REFERENCES account (id), -- NULL: the command line
	study_id   INTEGER REFERENCES study (id) ON DELETE SET NULL,
	slug       TEXT NOT NULL,                   -- empty: about no study
	what       TEXT NOT NULL,
	detail     TEXT NOT NULL
) STRICT;
INSERT INTO event_with_slug (id, at, account_id, study_id, slug, what, detail)
	SELECT e.id, e.at, e.account_id, e.study_id, coalesce(s.slug, ''), e.what, e.detail FROM event e LEFT JOIN study s ON s.id = e.study_id;
DROP TABLE event;
ALTER TABLE event_with_slug RENAME TO event;
CREATE INDEX event_slug ON event (slug, id);
CREATE INDEX event_account ON event (account_id, id);
