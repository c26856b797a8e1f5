-- A subject of a project has a row of `project`, with the same id as its pseudonym: what holds for the memories of a project holds for its.
-- parent: the project of a subject; NULL: a project. subject_memories: of a project, the memories of all its subjects.
ALTER TABLE project ADD COLUMN parent INTEGER REFERENCES project (serial);
ALTER TABLE project ADD COLUMN subject_memories INTEGER NOT NULL DEFAULT 0;

CREATE INDEX project_by_parent ON project (parent) WHERE parent IS NOT NULL;

-- subject: of a key that is bound to one subject, or to all whose names begin with the text before a final *; NULL: it is not bound.
ALTER TABLE api_key ADD COLUMN subject TEXT;

-- subject: the pseudonym of the subject of the call; NULL: the project itself.
ALTER TABLE remember_task ADD COLUMN subject TEXT;
ALTER TABLE open_exchange ADD COLUMN subject TEXT;

-- Keys with which programs create projects and API keys over HTTP. Secrets are stored as their SHA-256 only.
CREATE TABLE administration_key (
  id            TEXT    PRIMARY KEY,
  name          TEXT    NOT NULL,
  secret_digest BLOB    NOT NULL UNIQUE,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER,
  revoked_at    INTEGER,
  last_used_at  INTEGER
) STRICT, WITHOUT ROWID;
