-- Links by which an administrator signs in to the console, once each. Secrets are stored as their SHA-256 only. os_uid, os_user and
-- sudo_user: who asked for the link.
CREATE TABLE console_link (
  id            TEXT    PRIMARY KEY,
  secret_digest BLOB    NOT NULL UNIQUE,
  os_uid        INTEGER,
  os_user       TEXT,
  sudo_user     TEXT,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  used_at       INTEGER
) STRICT, WITHOUT ROWID;

-- People who are signed in to the console. A session without a key is that of an administrator; it has the names of its link.
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
) STRICT, WITHOUT ROWID;

-- Lists of memories by state and by words. New active memories without an expiry are in none of these indexes, so creating one costs nothing more.
CREATE INDEX memory_inactive ON memory (project, memory_type, epoch, expires_at) WHERE is_active = 0;
CREATE INDEX memory_expiring ON memory (project, expires_at, memory_type, epoch) WHERE expires_at IS NOT NULL;
-- Words have the revision of their content. Of most memories it is the revision of the memory, which has an index.
CREATE INDEX memory_by_content_revision ON memory (project, content_revision) WHERE content_revision <> revision;

-- Cursors of lists are encrypted, because they contain numbers that count the memories of all projects.
INSERT INTO installation (name, value) VALUES ('cursor_key', lower(hex(randomblob(32))));

-- Searches that are saved with the memory that they must find. search: its fields as JSON. memory: its id, also after it was deleted.
CREATE TABLE memory_check (
  id         TEXT    PRIMARY KEY,
  project    INTEGER NOT NULL REFERENCES project (serial),
  search     TEXT    NOT NULL,
  memory     TEXT    NOT NULL,
  within     INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_check_by_project ON memory_check (project, id);
CREATE INDEX memory_check_by_memory ON memory_check (memory);

-- superseded_by: id of the newer memory because of which this one is inactive: what it says is no longer true.
ALTER TABLE memory ADD COLUMN superseded_by TEXT;

-- gateway: what the key says about requests to the gateway, as JSON; NULL: nothing.
ALTER TABLE api_key ADD COLUMN gateway TEXT;

-- Answers of the gateway that are still to be remembered. record: id of the record whose payload has the texts. part: the next one of them.
-- attempts: those of this part that were begun. tags: JSON, as of a memory.
CREATE TABLE remember_task (
  record     TEXT    PRIMARY KEY,
  project    INTEGER NOT NULL REFERENCES project (serial),
  key        TEXT    NOT NULL REFERENCES api_key (id),
  tags       TEXT,
  part       INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX remember_task_by_project ON remember_task (project, attempts, record);

-- Whatever removes the texts (an erasure, retention) removes the task.
CREATE TRIGGER remember_task_of_removed AFTER DELETE ON audit_payload
BEGIN
  DELETE FROM remember_task WHERE record = (SELECT id FROM audit_entry WHERE number = OLD.entry);
END;

-- Exchanges that have no record yet, committed before anything is sent to an upstream. record: the id that the record will have. payload:
-- members of the record as JSON; kept: more of them as a zstd frame; seal: a code that only a holder of the signing key can make. The next
-- start makes a record of each row that a process has left.
CREATE TABLE open_exchange (
  record  TEXT PRIMARY KEY,
  key     TEXT NOT NULL,
  action  TEXT NOT NULL,
  payload TEXT NOT NULL,
  kept    BLOB,
  seal    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER open_exchange_is_recorded AFTER INSERT ON audit_entry
BEGIN
  DELETE FROM open_exchange WHERE record = NEW.id;
END;
