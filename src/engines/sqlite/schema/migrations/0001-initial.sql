-- Times are milliseconds since 1970. Rows refer to projects and memories by serial; ids are for clients.

CREATE TABLE installation (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE project (
  serial         INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT    NOT NULL UNIQUE,
  name           TEXT    NOT NULL,
  plan           TEXT    NOT NULL,
  subscription   TEXT    NOT NULL,
  credits        INTEGER,
  memory_limit   INTEGER,
  retention_days INTEGER,
  created_at     INTEGER NOT NULL,
  deleted_at     INTEGER
) STRICT;

CREATE UNIQUE INDEX project_by_name ON project (name) WHERE deleted_at IS NULL;

CREATE TABLE api_key (
  id            TEXT    PRIMARY KEY,
  project       INTEGER NOT NULL REFERENCES project (serial),
  name          TEXT    NOT NULL,
  secret_digest BLOB    NOT NULL UNIQUE,
  permissions   TEXT    NOT NULL,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER,
  revoked_at    INTEGER,
  last_used_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_key_by_project ON api_key (project);

-- One row per project and memory type. A memory is alive while its epoch is that of its pool; a bulk delete sets
-- the epoch to its revision, which hides any number of memories at once, and leaves a dead_pool for the purge.
CREATE TABLE pool (
  project     INTEGER NOT NULL REFERENCES project (serial),
  memory_type TEXT    NOT NULL,
  epoch       INTEGER NOT NULL,
  memories    INTEGER NOT NULL,
  PRIMARY KEY (project, memory_type)
) STRICT, WITHOUT ROWID;

CREATE TABLE dead_pool (
  project     INTEGER NOT NULL,
  memory_type TEXT    NOT NULL,
  epoch       INTEGER NOT NULL,
  PRIMARY KEY (project, memory_type, epoch)
) STRICT, WITHOUT ROWID;

-- serial is the order of creation, revision the order of changes across all memories.
CREATE TABLE memory (
  serial           INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT    NOT NULL UNIQUE,
  project          INTEGER NOT NULL REFERENCES project (serial),
  memory_type      TEXT    NOT NULL,
  epoch            INTEGER NOT NULL,
  revision         INTEGER NOT NULL,
  content          TEXT    NOT NULL,
  content_key      BLOB,
  importance       REAL    NOT NULL,
  is_active        INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL,
  last_accessed_at INTEGER,
  expires_at       INTEGER
) STRICT;

CREATE UNIQUE INDEX memory_by_content ON memory (project, content_key) WHERE content_key IS NOT NULL;
CREATE INDEX memory_by_project ON memory (project);
CREATE INDEX memory_by_pool ON memory (project, memory_type, epoch);
CREATE INDEX memory_by_revision ON memory (project, revision);
CREATE INDEX memory_by_importance ON memory (project, importance);

-- Float32 little-endian, L2-normalised; all of the model that the installation names.
CREATE TABLE memory_vector (
  memory    INTEGER PRIMARY KEY REFERENCES memory (serial),
  embedding BLOB NOT NULL
) STRICT;

-- Tells the search index which memories are gone; kept for an hour.
CREATE TABLE memory_removal (
  revision   INTEGER PRIMARY KEY,
  project    INTEGER NOT NULL,
  memory     INTEGER NOT NULL,
  removed_at INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_removal_by_project ON memory_removal (project, revision);

-- project is null for the installation's own chain.
CREATE TABLE audit_chain (
  number  INTEGER PRIMARY KEY,
  id      TEXT    NOT NULL UNIQUE,
  project INTEGER UNIQUE REFERENCES project (serial),
  genesis TEXT    NOT NULL,
  hash    TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX audit_chain_of_installation ON audit_chain (project IS NULL) WHERE project IS NULL;

-- The columns are copies of what entry says, for searching; entry is the text that was hashed.
CREATE TABLE audit_entry (
  number  INTEGER PRIMARY KEY,
  chain   INTEGER NOT NULL REFERENCES audit_chain (number),
  seq     INTEGER NOT NULL,
  id      TEXT    NOT NULL UNIQUE,
  at      INTEGER NOT NULL,
  action  TEXT    NOT NULL,
  status  INTEGER NOT NULL,
  entry   TEXT    NOT NULL,
  hash    TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX audit_entry_by_seq ON audit_entry (chain, seq);
CREATE INDEX audit_entry_by_action ON audit_entry (chain, action, seq);

-- Everything that may be personal, as zstd-compressed text; it can be erased while the chain stays provable.
CREATE TABLE audit_payload (
  entry INTEGER PRIMARY KEY REFERENCES audit_entry (number),
  salt  BLOB NOT NULL,
  text  BLOB NOT NULL
) STRICT;

CREATE TRIGGER audit_entry_is_final BEFORE UPDATE ON audit_entry
BEGIN
  SELECT RAISE(ABORT, 'audit entries are append-only');
END;

CREATE TRIGGER audit_entry_stays BEFORE DELETE ON audit_entry
BEGIN
  SELECT RAISE(ABORT, 'audit entries are append-only');
END;

-- INSERT OR REPLACE walks past the two triggers above, whichever unique column it collides on, but not past this one.
CREATE TRIGGER audit_entry_follows BEFORE INSERT ON audit_entry
WHEN NEW.seq IS NOT 1 + COALESCE((SELECT MAX(seq) FROM audit_entry WHERE chain = NEW.chain), 0)
  OR EXISTS (SELECT 1 FROM audit_entry WHERE number = NEW.number OR id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'an audit entry must follow the last one of its chain');
END;
