-- What a database of each format holds, byte for byte, as SQLite stores it. Made by test/engines/sqlite/schema-text.ts, never by hand.
-- Above each object: the formats that have it, its type, its name, its table, and when it is there, if not always.

-- 1.. table installation ON installation
CREATE TABLE installation (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID

-- 1..3 table project ON project
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
) STRICT

-- 1.. index sqlite_autoindex_project_1 ON project

-- 1.. table sqlite_sequence ON sqlite_sequence
CREATE TABLE sqlite_sequence(name,seq)

-- 1.. index project_by_name ON project
CREATE UNIQUE INDEX project_by_name ON project (name) WHERE deleted_at IS NULL

-- 1..6 table api_key ON api_key
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
) STRICT, WITHOUT ROWID

-- 1.. index sqlite_autoindex_api_key_2 ON api_key

-- 1.. index api_key_by_project ON api_key
CREATE INDEX api_key_by_project ON api_key (project)

-- 1.. table pool ON pool
CREATE TABLE pool (
  project     INTEGER NOT NULL REFERENCES project (serial),
  memory_type TEXT    NOT NULL,
  epoch       INTEGER NOT NULL,
  memories    INTEGER NOT NULL,
  PRIMARY KEY (project, memory_type)
) STRICT, WITHOUT ROWID

-- 1.. table dead_pool ON dead_pool
CREATE TABLE dead_pool (
  project     INTEGER NOT NULL,
  memory_type TEXT    NOT NULL,
  epoch       INTEGER NOT NULL,
  PRIMARY KEY (project, memory_type, epoch)
) STRICT, WITHOUT ROWID

-- 1..2 table memory ON memory
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
) STRICT

-- 1.. index sqlite_autoindex_memory_1 ON memory

-- 1.. index memory_by_content ON memory
CREATE UNIQUE INDEX memory_by_content ON memory (project, content_key) WHERE content_key IS NOT NULL

-- 1.. index memory_by_project ON memory
CREATE INDEX memory_by_project ON memory (project)

-- 1.. index memory_by_pool ON memory
CREATE INDEX memory_by_pool ON memory (project, memory_type, epoch)

-- 1.. index memory_by_revision ON memory
CREATE INDEX memory_by_revision ON memory (project, revision)

-- 1.. index memory_by_importance ON memory
CREATE INDEX memory_by_importance ON memory (project, importance)

-- 1.. table memory_vector ON memory_vector
CREATE TABLE memory_vector (
  memory    INTEGER PRIMARY KEY REFERENCES memory (serial),
  embedding BLOB NOT NULL
) STRICT

-- 1..3 table memory_removal ON memory_removal
CREATE TABLE memory_removal (
  revision   INTEGER PRIMARY KEY,
  project    INTEGER NOT NULL,
  memory     INTEGER NOT NULL,
  removed_at INTEGER NOT NULL
) STRICT

-- 1..3 index memory_removal_by_project ON memory_removal
CREATE INDEX memory_removal_by_project ON memory_removal (project, revision)

-- 1..1 table audit_chain ON audit_chain
CREATE TABLE audit_chain (
  number  INTEGER PRIMARY KEY,
  id      TEXT    NOT NULL UNIQUE,
  project INTEGER UNIQUE REFERENCES project (serial),
  genesis TEXT    NOT NULL,
  hash    TEXT    NOT NULL
) STRICT

-- 1.. index sqlite_autoindex_audit_chain_1 ON audit_chain

-- 1.. index sqlite_autoindex_audit_chain_2 ON audit_chain

-- 1.. index audit_chain_of_installation ON audit_chain
CREATE UNIQUE INDEX audit_chain_of_installation ON audit_chain (project IS NULL) WHERE project IS NULL

-- 1..1 table audit_entry ON audit_entry
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
) STRICT

-- 1.. index sqlite_autoindex_audit_entry_1 ON audit_entry

-- 1.. index audit_entry_by_seq ON audit_entry
CREATE UNIQUE INDEX audit_entry_by_seq ON audit_entry (chain, seq)

-- 1.. index audit_entry_by_action ON audit_entry
CREATE INDEX audit_entry_by_action ON audit_entry (chain, action, seq)

-- 1.. table audit_payload ON audit_payload
CREATE TABLE audit_payload (
  entry INTEGER PRIMARY KEY REFERENCES audit_entry (number),
  salt  BLOB NOT NULL,
  text  BLOB NOT NULL
) STRICT

-- 1.. trigger audit_entry_is_final ON audit_entry
CREATE TRIGGER audit_entry_is_final BEFORE UPDATE ON audit_entry
BEGIN
  SELECT RAISE(ABORT, 'audit entries are append-only');
END

-- 1..1 trigger audit_entry_stays ON audit_entry
CREATE TRIGGER audit_entry_stays BEFORE DELETE ON audit_entry
BEGIN
  SELECT RAISE(ABORT, 'audit entries are append-only');
END

-- 1.. trigger audit_entry_follows ON audit_entry
CREATE TRIGGER audit_entry_follows BEFORE INSERT ON audit_entry
WHEN NEW.seq IS NOT 1 + COALESCE((SELECT MAX(seq) FROM audit_entry WHERE chain = NEW.chain), 0)
  OR EXISTS (SELECT 1 FROM audit_entry WHERE number = NEW.number OR id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'an audit entry must follow the last one of its chain');
END

-- 2..7 table audit_chain ON audit_chain
CREATE TABLE audit_chain (
  number  INTEGER PRIMARY KEY,
  id      TEXT    NOT NULL UNIQUE,
  project INTEGER UNIQUE REFERENCES project (serial),
  genesis TEXT    NOT NULL,
  hash    TEXT    NOT NULL
, payloads_through INTEGER NOT NULL DEFAULT 0) STRICT

-- 2..7 table audit_entry ON audit_entry
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
, key TEXT, memory TEXT) STRICT

-- 2.. index audit_entry_by_key ON audit_entry
CREATE INDEX audit_entry_by_key ON audit_entry (chain, key, seq) WHERE key IS NOT NULL

-- 2.. index audit_entry_by_memory ON audit_entry
CREATE INDEX audit_entry_by_memory ON audit_entry (chain, memory, seq) WHERE memory IS NOT NULL

-- 2.. index audit_entry_failed ON audit_entry
CREATE INDEX audit_entry_failed ON audit_entry (chain, status, seq) WHERE status NOT BETWEEN 200 AND 299

-- 2.. table audit_checkpoint ON audit_checkpoint
CREATE TABLE audit_checkpoint (
  chain INTEGER NOT NULL REFERENCES audit_chain (number),
  size  INTEGER NOT NULL,
  at    INTEGER NOT NULL,
  note  TEXT    NOT NULL,
  PRIMARY KEY (chain, size)
) STRICT, WITHOUT ROWID

-- 2.. table audit_anchor ON audit_anchor
CREATE TABLE audit_anchor (
  chain   INTEGER NOT NULL REFERENCES audit_chain (number),
  through INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  note    TEXT    NOT NULL,
  PRIMARY KEY (chain, through)
) STRICT, WITHOUT ROWID

-- 2.. table audit_verification ON audit_verification
CREATE TABLE audit_verification (
  chain INTEGER PRIMARY KEY REFERENCES audit_chain (number),
  seq   INTEGER NOT NULL,
  hash  TEXT    NOT NULL,
  at    INTEGER NOT NULL
) STRICT

-- 2..8 table audit_export ON audit_export
CREATE TABLE audit_export (
  id           TEXT    PRIMARY KEY,
  project      INTEGER NOT NULL REFERENCES project (serial),
  format       TEXT    NOT NULL,
  start_at     INTEGER NOT NULL,
  end_at       INTEGER NOT NULL,
  first_seq    INTEGER NOT NULL,
  last_seq     INTEGER NOT NULL,
  verifiable   INTEGER NOT NULL,
  status       TEXT    NOT NULL,
  records      INTEGER NOT NULL,
  bytes        INTEGER,
  sha256       TEXT,
  error        TEXT,
  created_at   INTEGER NOT NULL,
  completed_at INTEGER,
  expires_at   INTEGER
) STRICT, WITHOUT ROWID

-- 2.. index audit_export_by_project ON audit_export
CREATE INDEX audit_export_by_project ON audit_export (project, id)

-- 2.. index audit_export_running ON audit_export
CREATE UNIQUE INDEX audit_export_running ON audit_export (project) WHERE status = 'processing'

-- 2.. trigger audit_entry_stays ON audit_entry
CREATE TRIGGER audit_entry_stays BEFORE DELETE ON audit_entry
WHEN OLD.seq > COALESCE((SELECT MAX(through) FROM audit_anchor WHERE chain = OLD.chain), 0)
BEGIN
  SELECT RAISE(ABORT, 'audit entries are append-only');
END

-- 2.. trigger audit_anchor_is_final ON audit_anchor
CREATE TRIGGER audit_anchor_is_final BEFORE UPDATE ON audit_anchor
BEGIN
  SELECT RAISE(ABORT, 'anchors are final');
END

-- 2.. trigger audit_anchor_stays ON audit_anchor
CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor
BEGIN
  SELECT RAISE(ABORT, 'anchors are final');
END

-- 3..4 table memory ON memory
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
, content_revision INTEGER NOT NULL DEFAULT 0) STRICT

-- 3.. table memory_word ON memory_word
CREATE VIRTUAL TABLE memory_word USING fts5 (
  words,
  content = '',
  columnsize = 0,
  detail = none,
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
)

-- 3.. table memory_word_data ON memory_word_data
CREATE TABLE 'memory_word_data'(id INTEGER PRIMARY KEY, block BLOB)

-- 3.. table memory_word_idx ON memory_word_idx
CREATE TABLE 'memory_word_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID

-- 3.. table memory_word_config ON memory_word_config
CREATE TABLE 'memory_word_config'(k PRIMARY KEY, v) WITHOUT ROWID

-- 4..8 table project ON project
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
, revision INTEGER NOT NULL DEFAULT 0) STRICT

-- 4.. table memory_removal ON memory_removal
CREATE TABLE memory_removal (
  project    INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  memory     INTEGER NOT NULL,
  removed_at INTEGER NOT NULL,
  PRIMARY KEY (project, revision)
) STRICT, WITHOUT ROWID

-- 5..6 table memory ON memory
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
, content_revision INTEGER NOT NULL DEFAULT 0, tags TEXT CHECK (json_array_length(tags) BETWEEN 1 AND 16)) STRICT

-- 5.. table memory_tag ON memory_tag
CREATE TABLE memory_tag (
  project     INTEGER NOT NULL,
  -- Trimmed, without control characters; U+0000 would end the text for the other functions.
  tag         TEXT    NOT NULL CHECK (
    length(tag) BETWEEN 1 AND 64
    AND instr(tag, char(0)) = 0
    AND tag NOT GLOB '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*'
    AND tag = trim(tag, char(32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288))
  ),
  memory_type TEXT    NOT NULL,
  epoch       INTEGER NOT NULL,
  memory      INTEGER NOT NULL,
  PRIMARY KEY (project, tag, memory_type, epoch, memory)
) STRICT, WITHOUT ROWID

-- 5.. trigger memory_tag_of_new ON memory
CREATE TRIGGER memory_tag_of_new AFTER INSERT ON memory WHEN NEW.tags IS NOT NULL
BEGIN
  INSERT INTO memory_tag (project, tag, memory_type, epoch, memory)
  SELECT NEW.project, CASE type WHEN 'text' THEN value END, NEW.memory_type, NEW.epoch, NEW.serial
  FROM json_each(NEW.tags);
END

-- 5.. trigger memory_tag_of_changed ON memory
CREATE TRIGGER memory_tag_of_changed AFTER UPDATE OF serial, project, tags, memory_type, epoch ON memory
WHEN OLD.tags IS NOT NEW.tags OR (NEW.tags IS NOT NULL AND (OLD.serial, OLD.project, OLD.memory_type, OLD.epoch)
  IS NOT (NEW.serial, NEW.project, NEW.memory_type, NEW.epoch))
BEGIN
  DELETE FROM memory_tag
  WHERE project = OLD.project AND tag IN (SELECT value FROM json_each(OLD.tags))
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
  INSERT INTO memory_tag (project, tag, memory_type, epoch, memory)
  SELECT NEW.project, CASE type WHEN 'text' THEN value END, NEW.memory_type, NEW.epoch, NEW.serial
  FROM json_each(NEW.tags);
END

-- 5.. trigger memory_tag_of_removed ON memory
CREATE TRIGGER memory_tag_of_removed AFTER DELETE ON memory WHEN OLD.tags IS NOT NULL
BEGIN
  DELETE FROM memory_tag
  WHERE project = OLD.project AND tag IN (SELECT value FROM json_each(OLD.tags))
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
END

-- 6.. table memory_vector_next ON memory_vector_next
CREATE TABLE memory_vector_next (memory INTEGER PRIMARY KEY REFERENCES memory (serial) ON DELETE CASCADE, embedding BLOB NOT NULL) STRICT

-- 6.. table memory_vector_outdated ON memory_vector_outdated
CREATE TABLE memory_vector_outdated (
  memory INTEGER PRIMARY KEY REFERENCES memory (serial) ON DELETE CASCADE
) STRICT

-- 7..8 table api_key ON api_key
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
, gateway TEXT) STRICT, WITHOUT ROWID

-- 7..7 table memory ON memory
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
, content_revision INTEGER NOT NULL DEFAULT 0, tags TEXT CHECK (json_array_length(tags) BETWEEN 1 AND 16), superseded_by TEXT) STRICT

-- 7.. table console_link ON console_link
CREATE TABLE console_link (
  id            TEXT    PRIMARY KEY,
  secret_digest BLOB    NOT NULL UNIQUE,
  os_uid        INTEGER,
  os_user       TEXT,
  sudo_user     TEXT,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  used_at       INTEGER
) STRICT, WITHOUT ROWID

-- 7.. index sqlite_autoindex_console_link_2 ON console_link

-- 7.. table console_session ON console_session
CREATE TABLE console_session (
  id            TEXT    PRIMARY KEY,
  secret_digest BLOB    NOT NULL UNIQUE,
  key           TEXT    REFERENCES api_key (id),
  os_uid        INTEGER,
  os_user       TEXT,
  sudo_user     TEXT,
  ip_address    TEXT,
  user_agent    TEXT,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  last_used_at  INTEGER
) STRICT, WITHOUT ROWID

-- 7.. index sqlite_autoindex_console_session_2 ON console_session

-- 7.. index memory_inactive ON memory
CREATE INDEX memory_inactive ON memory (project, memory_type, epoch, expires_at) WHERE is_active = 0

-- 7..8 index memory_expiring ON memory
CREATE INDEX memory_expiring ON memory (project, expires_at, memory_type, epoch) WHERE expires_at IS NOT NULL

-- 7.. index memory_by_content_revision ON memory
CREATE INDEX memory_by_content_revision ON memory (project, content_revision) WHERE content_revision <> revision

-- 7.. table memory_check ON memory_check
CREATE TABLE memory_check (
  id         TEXT    PRIMARY KEY,
  project    INTEGER NOT NULL REFERENCES project (serial),
  search     TEXT    NOT NULL,
  memory     TEXT    NOT NULL,
  within     INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID

-- 7.. index memory_check_by_project ON memory_check
CREATE INDEX memory_check_by_project ON memory_check (project, id)

-- 7.. index memory_check_by_memory ON memory_check
CREATE INDEX memory_check_by_memory ON memory_check (memory)

-- 7..8 table remember_task ON remember_task
CREATE TABLE remember_task (
  record     TEXT    PRIMARY KEY,
  project    INTEGER NOT NULL REFERENCES project (serial),
  key        TEXT    NOT NULL REFERENCES api_key (id),
  tags       TEXT,
  part       INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID

-- 7.. index remember_task_by_project ON remember_task
CREATE INDEX remember_task_by_project ON remember_task (project, attempts, record)

-- 7.. trigger remember_task_of_removed ON audit_payload
CREATE TRIGGER remember_task_of_removed AFTER DELETE ON audit_payload
BEGIN
  DELETE FROM remember_task WHERE record = (SELECT id FROM audit_entry WHERE number = OLD.entry);
END

-- 7..8 table open_exchange ON open_exchange
CREATE TABLE open_exchange (
  record  TEXT PRIMARY KEY,
  key     TEXT NOT NULL,
  action  TEXT NOT NULL,
  payload TEXT NOT NULL,
  kept    BLOB,
  seal    TEXT NOT NULL
) STRICT, WITHOUT ROWID

-- 7.. trigger open_exchange_is_recorded ON audit_entry
CREATE TRIGGER open_exchange_is_recorded AFTER INSERT ON audit_entry
BEGIN
  DELETE FROM open_exchange WHERE record = NEW.id;
END

-- 8..8 table memory ON memory
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
, content_revision INTEGER NOT NULL DEFAULT 0, tags TEXT CHECK (json_array_length(tags) BETWEEN 1 AND 16), superseded_by TEXT, made_of TEXT) STRICT

-- 8.. table audit_chain ON audit_chain
CREATE TABLE audit_chain (
  number  INTEGER PRIMARY KEY,
  id      TEXT    NOT NULL UNIQUE,
  project INTEGER UNIQUE REFERENCES project (serial),
  genesis TEXT    NOT NULL,
  hash    TEXT    NOT NULL
, payloads_through INTEGER NOT NULL DEFAULT 0, tree TEXT) STRICT

-- 8.. table audit_entry ON audit_entry
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
, key TEXT, memory TEXT, mac BLOB) STRICT

-- 8.. table audit_node ON audit_node
CREATE TABLE audit_node (
  chain    INTEGER NOT NULL REFERENCES audit_chain (number),
  level    INTEGER NOT NULL,
  position INTEGER NOT NULL,
  hash     BLOB    NOT NULL,
  PRIMARY KEY (chain, level, position)
) STRICT, WITHOUT ROWID

-- 8.. table pseudonym ON pseudonym
CREATE TABLE pseudonym (
  serial  INTEGER PRIMARY KEY,
  id      TEXT    NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES project (serial),
  owner   INTEGER REFERENCES pseudonym (serial),
  kind    TEXT    NOT NULL,
  name    TEXT
) STRICT

-- 8.. index sqlite_autoindex_pseudonym_1 ON pseudonym

-- 8.. index pseudonym_by_name ON pseudonym
CREATE UNIQUE INDEX pseudonym_by_name ON pseudonym (project, kind, COALESCE(owner, 0), name) WHERE name IS NOT NULL

-- 8.. index pseudonym_by_owner ON pseudonym
CREATE INDEX pseudonym_by_owner ON pseudonym (owner) WHERE owner IS NOT NULL

-- 8.. table audit_pseudonym ON audit_pseudonym
CREATE TABLE audit_pseudonym (
  pseudonym INTEGER NOT NULL REFERENCES pseudonym (serial),
  entry     INTEGER NOT NULL REFERENCES audit_entry (number),
  PRIMARY KEY (pseudonym, entry)
) STRICT, WITHOUT ROWID

-- 8.. index audit_pseudonym_by_entry ON audit_pseudonym
CREATE INDEX audit_pseudonym_by_entry ON audit_pseudonym (entry)

-- 9.. table project ON project
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
, revision INTEGER NOT NULL DEFAULT 0, parent INTEGER REFERENCES project (serial), subject_memories INTEGER NOT NULL DEFAULT 0, passage_limit INTEGER, subject_passages INTEGER NOT NULL DEFAULT 0) STRICT

-- 9.. table api_key ON api_key
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
, gateway TEXT, subject TEXT, token_epoch INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID

-- 9.. table memory ON memory
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
, content_revision INTEGER NOT NULL DEFAULT 0, tags TEXT CHECK (json_array_length(tags) BETWEEN 1 AND 16), superseded_by TEXT, made_of TEXT, metadata TEXT CHECK (json_type(metadata) = 'object' AND octet_length(metadata) <= 4096), origins TEXT CHECK (json_type(origins) = 'array'), lead TEXT, former_of TEXT, passage_of INTEGER) STRICT

-- 9.. table audit_export ON audit_export
CREATE TABLE audit_export (
  id           TEXT    PRIMARY KEY,
  project      INTEGER NOT NULL REFERENCES project (serial),
  format       TEXT    NOT NULL,
  start_at     INTEGER NOT NULL,
  end_at       INTEGER NOT NULL,
  first_seq    INTEGER NOT NULL,
  last_seq     INTEGER NOT NULL,
  verifiable   INTEGER NOT NULL,
  status       TEXT    NOT NULL,
  records      INTEGER NOT NULL,
  bytes        INTEGER,
  sha256       TEXT,
  error        TEXT,
  created_at   INTEGER NOT NULL,
  completed_at INTEGER,
  expires_at   INTEGER
, filter TEXT, selected INTEGER, checkpoint INTEGER) STRICT, WITHOUT ROWID

-- 9.. table remember_task ON remember_task
CREATE TABLE remember_task (
  record     TEXT    PRIMARY KEY,
  project    INTEGER NOT NULL REFERENCES project (serial),
  key        TEXT    NOT NULL REFERENCES api_key (id),
  tags       TEXT,
  part       INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  created_at INTEGER NOT NULL
, subject TEXT) STRICT, WITHOUT ROWID

-- 9.. table open_exchange ON open_exchange
CREATE TABLE open_exchange (
  record  TEXT PRIMARY KEY,
  key     TEXT NOT NULL,
  action  TEXT NOT NULL,
  payload TEXT NOT NULL,
  kept    BLOB,
  seal    TEXT NOT NULL
, subject TEXT, conversation TEXT) STRICT, WITHOUT ROWID

-- 9.. index project_by_parent ON project
CREATE INDEX project_by_parent ON project (parent) WHERE parent IS NOT NULL

-- 9.. index pseudonym_by_project ON pseudonym
CREATE INDEX pseudonym_by_project ON pseudonym (project)

-- 9.. table administration_key ON administration_key
CREATE TABLE administration_key (
  id            TEXT    PRIMARY KEY,
  name          TEXT    NOT NULL,
  secret_digest BLOB    NOT NULL UNIQUE,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER,
  revoked_at    INTEGER,
  last_used_at  INTEGER
) STRICT, WITHOUT ROWID

-- 9.. index sqlite_autoindex_administration_key_2 ON administration_key

-- 9.. index memory_by_expiry ON memory
CREATE INDEX memory_by_expiry ON memory (project, expires_at, serial, memory_type, epoch)

-- 9.. index memory_by_access ON memory
CREATE INDEX memory_by_access ON memory (project, last_accessed_at)

-- 9.. table memory_metadata ON memory_metadata
CREATE TABLE memory_metadata (
  project     INTEGER NOT NULL,
  name        TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 64 AND instr(name, char(0)) = 0),
  value       ANY     NOT NULL,
  memory_type TEXT    NOT NULL,
  epoch       INTEGER NOT NULL,
  memory      INTEGER NOT NULL,
  PRIMARY KEY (project, name, value, memory_type, epoch, memory)
) STRICT, WITHOUT ROWID

-- 9.. trigger memory_metadata_of_new ON memory
CREATE TRIGGER memory_metadata_of_new AFTER INSERT ON memory WHEN NEW.metadata IS NOT NULL
BEGIN
  INSERT INTO memory_metadata (project, name, value, memory_type, epoch, memory)
  SELECT NEW.project, key, CASE type WHEN 'text' THEN value WHEN 'integer' THEN CAST(value AS REAL) WHEN 'real' THEN value
    WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE x'' END, NEW.memory_type, NEW.epoch, NEW.serial
  FROM json_each(NEW.metadata);
END

-- 9.. trigger memory_metadata_of_changed ON memory
CREATE TRIGGER memory_metadata_of_changed AFTER UPDATE OF serial, project, metadata, memory_type, epoch ON memory
WHEN OLD.metadata IS NOT NEW.metadata OR (NEW.metadata IS NOT NULL AND (OLD.serial, OLD.project, OLD.memory_type, OLD.epoch)
  IS NOT (NEW.serial, NEW.project, NEW.memory_type, NEW.epoch))
BEGIN
  DELETE FROM memory_metadata
  WHERE project = OLD.project AND (name, value) IN (SELECT key, CASE type WHEN 'text' THEN value WHEN 'integer' THEN CAST(value AS REAL)
      WHEN 'real' THEN value WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE x'' END FROM json_each(OLD.metadata))
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
  INSERT INTO memory_metadata (project, name, value, memory_type, epoch, memory)
  SELECT NEW.project, key, CASE type WHEN 'text' THEN value WHEN 'integer' THEN CAST(value AS REAL) WHEN 'real' THEN value
    WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE x'' END, NEW.memory_type, NEW.epoch, NEW.serial
  FROM json_each(NEW.metadata);
END

-- 9.. trigger memory_metadata_of_removed ON memory
CREATE TRIGGER memory_metadata_of_removed AFTER DELETE ON memory WHEN OLD.metadata IS NOT NULL
BEGIN
  DELETE FROM memory_metadata
  WHERE project = OLD.project AND (name, value) IN (SELECT key, CASE type WHEN 'text' THEN value WHEN 'integer' THEN CAST(value AS REAL)
      WHEN 'real' THEN value WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE x'' END FROM json_each(OLD.metadata))
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
END

-- 9.. table conversation ON conversation
CREATE TABLE conversation (
  serial  INTEGER PRIMARY KEY,
  project INTEGER NOT NULL,
  name    TEXT    NOT NULL,
  last_at INTEGER NOT NULL
) STRICT

-- 9.. index conversation_by_name ON conversation
CREATE UNIQUE INDEX conversation_by_name ON conversation (project, name)

-- 9.. index conversation_by_time ON conversation
CREATE INDEX conversation_by_time ON conversation (project, last_at)

-- 9.. table memory_conversation ON memory_conversation
CREATE TABLE memory_conversation (
  conversation INTEGER NOT NULL,
  memory_type  TEXT    NOT NULL,
  epoch        INTEGER NOT NULL,
  memory       INTEGER NOT NULL,
  first_at     INTEGER NOT NULL,
  last_at      INTEGER NOT NULL,
  PRIMARY KEY (conversation, memory_type, epoch, memory)
) STRICT, WITHOUT ROWID

-- 9.. trigger memory_conversation_of_new ON memory
CREATE TRIGGER memory_conversation_of_new AFTER INSERT ON memory WHEN NEW.origins IS NOT NULL
BEGIN
  INSERT INTO conversation (project, name, last_at)
  SELECT NEW.project, value ->> 'conversation', MAX(COALESCE(ROUND(unixepoch(value ->> 'said_at', 'subsec') * 1000), NEW.created_at))
  FROM json_each(NEW.origins) WHERE value ->> 'conversation' IS NOT NULL GROUP BY 2
  ON CONFLICT (project, name) DO UPDATE SET last_at = MAX(last_at, excluded.last_at);
  INSERT INTO memory_conversation (conversation, memory_type, epoch, memory, first_at, last_at)
  SELECT c.serial, NEW.memory_type, NEW.epoch, NEW.serial,
    MIN(COALESCE(ROUND(unixepoch(value ->> 'said_at', 'subsec') * 1000), NEW.created_at)),
    MAX(COALESCE(ROUND(unixepoch(value ->> 'said_at', 'subsec') * 1000), NEW.created_at))
  FROM json_each(NEW.origins) CROSS JOIN conversation c ON c.project = NEW.project AND c.name = value ->> 'conversation'
  GROUP BY c.serial;
END

-- 9.. trigger memory_conversation_of_changed ON memory
CREATE TRIGGER memory_conversation_of_changed AFTER UPDATE OF serial, project, origins, memory_type, epoch ON memory
WHEN OLD.origins IS NOT NEW.origins OR (NEW.origins IS NOT NULL AND (OLD.serial, OLD.project, OLD.memory_type, OLD.epoch)
  IS NOT (NEW.serial, NEW.project, NEW.memory_type, NEW.epoch))
BEGIN
  DELETE FROM memory_conversation
  WHERE conversation IN (SELECT c.serial FROM json_each(OLD.origins) CROSS JOIN conversation c
      ON c.project = OLD.project AND c.name = value ->> 'conversation')
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
  INSERT INTO conversation (project, name, last_at)
  SELECT NEW.project, value ->> 'conversation', MAX(COALESCE(ROUND(unixepoch(value ->> 'said_at', 'subsec') * 1000), NEW.created_at))
  FROM json_each(NEW.origins) WHERE value ->> 'conversation' IS NOT NULL GROUP BY 2
  ON CONFLICT (project, name) DO UPDATE SET last_at = MAX(last_at, excluded.last_at);
  INSERT INTO memory_conversation (conversation, memory_type, epoch, memory, first_at, last_at)
  SELECT c.serial, NEW.memory_type, NEW.epoch, NEW.serial,
    MIN(COALESCE(ROUND(unixepoch(value ->> 'said_at', 'subsec') * 1000), NEW.created_at)),
    MAX(COALESCE(ROUND(unixepoch(value ->> 'said_at', 'subsec') * 1000), NEW.created_at))
  FROM json_each(NEW.origins) CROSS JOIN conversation c ON c.project = NEW.project AND c.name = value ->> 'conversation'
  GROUP BY c.serial;
  DELETE FROM conversation
  WHERE project = OLD.project AND name IN (SELECT value ->> 'conversation' FROM json_each(OLD.origins))
    AND NOT EXISTS (SELECT 1 FROM memory_conversation WHERE conversation = serial);
END

-- 9.. trigger memory_conversation_of_removed ON memory
CREATE TRIGGER memory_conversation_of_removed AFTER DELETE ON memory WHEN OLD.origins IS NOT NULL
BEGIN
  DELETE FROM memory_conversation
  WHERE conversation IN (SELECT c.serial FROM json_each(OLD.origins) CROSS JOIN conversation c
      ON c.project = OLD.project AND c.name = value ->> 'conversation')
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
  DELETE FROM conversation
  WHERE project = OLD.project AND name IN (SELECT value ->> 'conversation' FROM json_each(OLD.origins))
    AND NOT EXISTS (SELECT 1 FROM memory_conversation WHERE conversation = serial);
END

-- 9.. index memory_passage ON memory
CREATE INDEX memory_passage ON memory (passage_of) WHERE passage_of IS NOT NULL

-- 9.. table export_record ON export_record
CREATE TABLE export_record (
  export TEXT    NOT NULL REFERENCES audit_export (id) ON DELETE CASCADE,
  seq    INTEGER NOT NULL,
  PRIMARY KEY (export, seq)
) STRICT, WITHOUT ROWID

-- 9.. table suggestion ON suggestion
CREATE TABLE suggestion (
  id         TEXT    PRIMARY KEY,
  project    INTEGER NOT NULL REFERENCES project (serial),
  kind       TEXT    NOT NULL,
  source     TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  record     TEXT    NOT NULL,
  details    TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID

-- 9.. index suggestion_by_project ON suggestion
CREATE INDEX suggestion_by_project ON suggestion (project, id)

-- 9.. index suggestion_by_record ON suggestion
CREATE INDEX suggestion_by_record ON suggestion (record)

-- 9.. table suggestion_memory ON suggestion_memory
CREATE TABLE suggestion_memory (
  suggestion TEXT    NOT NULL REFERENCES suggestion (id) ON DELETE CASCADE,
  place      INTEGER NOT NULL,
  memory     INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (suggestion, place)
) STRICT, WITHOUT ROWID

-- 9.. index suggestion_memory_by_memory ON suggestion_memory
CREATE INDEX suggestion_memory_by_memory ON suggestion_memory (memory)

-- 9.. trigger suggestion_of_removed ON memory
CREATE TRIGGER suggestion_of_removed AFTER DELETE ON memory
BEGIN
  DELETE FROM suggestion WHERE id IN (SELECT suggestion FROM suggestion_memory WHERE memory = OLD.serial);
END

-- 10.. table audit_attestation ON audit_attestation
CREATE TABLE audit_attestation (
  chain   INTEGER NOT NULL,
  size    INTEGER NOT NULL,
  kind    TEXT    NOT NULL CHECK (kind IN ('cosignature', 'timestamp')),
  source  TEXT    NOT NULL,
  content TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (chain, size, kind, source),
  FOREIGN KEY (chain, size) REFERENCES audit_checkpoint (chain, size) ON DELETE CASCADE
) STRICT, WITHOUT ROWID

-- 10.. index audit_checkpoint_by_time ON audit_checkpoint
CREATE INDEX audit_checkpoint_by_time ON audit_checkpoint (chain, at, size)

-- 10.. trigger audit_attestation_of_changed ON audit_checkpoint
CREATE TRIGGER audit_attestation_of_changed AFTER UPDATE OF note ON audit_checkpoint
WHEN substr(OLD.note, 1, instr(OLD.note, char(10, 10))) <> substr(NEW.note, 1, instr(NEW.note, char(10, 10)))
BEGIN
  DELETE FROM audit_attestation WHERE chain = OLD.chain AND size = OLD.size;
END

-- 10.. table audit_deposit ON audit_deposit
CREATE TABLE audit_deposit (
  destination TEXT    NOT NULL,
  chain       INTEGER NOT NULL REFERENCES audit_chain (number),
  log         TEXT    NOT NULL,
  size        INTEGER NOT NULL,
  first       INTEGER NOT NULL,
  sha256      TEXT    NOT NULL,
  answer      TEXT    NOT NULL CHECK (json_type(answer) = 'object'),
  at          INTEGER NOT NULL,
  PRIMARY KEY (destination, chain, log, size)
) STRICT, WITHOUT ROWID

-- 1..5 table memory_vector_next ON memory_vector_next, during reembed
CREATE TABLE memory_vector_next (memory INTEGER PRIMARY KEY REFERENCES memory (serial) ON DELETE CASCADE, embedding BLOB NOT NULL) STRICT

-- 1.. table memory_vector ON memory_vector, after reembed
CREATE TABLE "memory_vector" (memory INTEGER PRIMARY KEY REFERENCES memory (serial) ON DELETE CASCADE, embedding BLOB NOT NULL) STRICT

-- 6.. table memory_vector_next ON memory_vector_next, after reembed
CREATE TABLE "memory_vector_next" (
  memory    INTEGER PRIMARY KEY REFERENCES memory (serial),
  embedding BLOB NOT NULL
) STRICT

-- 6.. table memory_vector ON memory_vector, after two reembeds
CREATE TABLE "memory_vector" (
  memory    INTEGER PRIMARY KEY REFERENCES memory (serial),
  embedding BLOB NOT NULL
) STRICT

-- 6.. table memory_vector_next ON memory_vector_next, after two reembeds
CREATE TABLE "memory_vector_next" (memory INTEGER PRIMARY KEY REFERENCES memory (serial) ON DELETE CASCADE, embedding BLOB NOT NULL) STRICT
