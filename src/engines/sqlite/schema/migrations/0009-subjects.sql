-- A subject of a project has a row of `project`, with the same id as its pseudonym: what holds for the memories of a project holds for its.
-- parent: the project of a subject; NULL: a project. subject_memories: of a project, the memories of all its subjects.
ALTER TABLE project ADD COLUMN parent INTEGER REFERENCES project (serial);
ALTER TABLE project ADD COLUMN subject_memories INTEGER NOT NULL DEFAULT 0;

CREATE INDEX project_by_parent ON project (parent) WHERE parent IS NOT NULL;
-- Without it, the removal of the row of a subject would read all pseudonyms.
CREATE INDEX pseudonym_by_project ON pseudonym (project);

-- subject: of a key that is bound to one subject, or to all whose names begin with the text before a final *; NULL: it is not bound.
ALTER TABLE api_key ADD COLUMN subject TEXT;
-- A key has an epoch of its tokens: those that it has issued in another one are revoked.
ALTER TABLE api_key ADD COLUMN token_epoch INTEGER NOT NULL DEFAULT 0;

-- subject: the pseudonym of the subject of the call; NULL: the project itself.
ALTER TABLE remember_task ADD COLUMN subject TEXT;
ALTER TABLE open_exchange ADD COLUMN subject TEXT;
-- conversation: the pseudonym of the conversation of the call; NULL: it names none.
ALTER TABLE open_exchange ADD COLUMN conversation TEXT;

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

-- Metadata of memories. The column is what a memory shows: a JSON object; null without metadata.
ALTER TABLE memory ADD COLUMN metadata TEXT CHECK (json_type(metadata) = 'object' AND octet_length(metadata) <= 4096);

-- What lists of memories are sorted by: memories without the date are in these indexes, too, in the order of their creation.
DROP INDEX memory_expiring;
CREATE INDEX memory_by_expiry ON memory (project, expires_at, serial, memory_type, epoch);
CREATE INDEX memory_by_access ON memory (project, last_accessed_at);

-- The members of metadata as rows, to find memories by them. A row has the pool of its memory, as in memory_tag. Only the triggers below
-- write it. The storage class of a value is its type, so that values of different types are never equal, and each type has one range of
-- the key: numbers, then strings, then x'00' for false, x'01' for true, and x'' for null, an array and an object.
CREATE TABLE memory_metadata (
  project     INTEGER NOT NULL,
  name        TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 64 AND instr(name, char(0)) = 0),
  value       ANY     NOT NULL,
  memory_type TEXT    NOT NULL,
  epoch       INTEGER NOT NULL,
  memory      INTEGER NOT NULL,
  PRIMARY KEY (project, name, value, memory_type, epoch, memory)
) STRICT, WITHOUT ROWID;

-- A number is stored as the double that it means, because a whole number may be another one as an integer.
CREATE TRIGGER memory_metadata_of_new AFTER INSERT ON memory WHEN NEW.metadata IS NOT NULL
BEGIN
  INSERT INTO memory_metadata (project, name, value, memory_type, epoch, memory)
  SELECT NEW.project, key, CASE type WHEN 'text' THEN value WHEN 'integer' THEN CAST(value AS REAL) WHEN 'real' THEN value
    WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE x'' END, NEW.memory_type, NEW.epoch, NEW.serial
  FROM json_each(NEW.metadata);
END;

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
END;

CREATE TRIGGER memory_metadata_of_removed AFTER DELETE ON memory WHEN OLD.metadata IS NOT NULL
BEGIN
  DELETE FROM memory_metadata
  WHERE project = OLD.project AND (name, value) IN (SELECT key, CASE type WHEN 'text' THEN value WHEN 'integer' THEN CAST(value AS REAL)
      WHEN 'real' THEN value WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE x'' END FROM json_each(OLD.metadata))
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
END;

-- origins: where the words of a memory were said, as the API shows it: a JSON array; NULL: it is not known.
ALTER TABLE memory ADD COLUMN origins TEXT CHECK (json_type(origins) = 'array');
-- lead: what stands before the content in the text that is embedded, such as the name of the speaker; NULL: nothing.
ALTER TABLE memory ADD COLUMN lead TEXT;
-- former_of: id of the memory that had this content before an extraction updated it; NULL: none.
ALTER TABLE memory ADD COLUMN former_of TEXT;

-- The conversations in which the words of memories were said: those that `origins` names. name: as the client names it. last_at: when something
-- of it was said last, as far as it is known; it never falls. Only the triggers below write this table and the next one.
CREATE TABLE conversation (
  serial  INTEGER PRIMARY KEY,
  project INTEGER NOT NULL,
  name    TEXT    NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX conversation_by_name ON conversation (project, name);
CREATE INDEX conversation_by_time ON conversation (project, last_at);

-- The memories of each conversation. A row has the pool of its memory, as in memory_tag. first_at, last_at: when its words were said there.
CREATE TABLE memory_conversation (
  conversation INTEGER NOT NULL,
  memory_type  TEXT    NOT NULL,
  epoch        INTEGER NOT NULL,
  memory       INTEGER NOT NULL,
  first_at     INTEGER NOT NULL,
  last_at      INTEGER NOT NULL,
  PRIMARY KEY (conversation, memory_type, epoch, memory)
) STRICT, WITHOUT ROWID;

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
END;

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
END;

CREATE TRIGGER memory_conversation_of_removed AFTER DELETE ON memory WHEN OLD.origins IS NOT NULL
BEGIN
  DELETE FROM memory_conversation
  WHERE conversation IN (SELECT c.serial FROM json_each(OLD.origins) CROSS JOIN conversation c
      ON c.project = OLD.project AND c.name = value ->> 'conversation')
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
  DELETE FROM conversation
  WHERE project = OLD.project AND name IN (SELECT value ->> 'conversation' FROM json_each(OLD.origins))
    AND NOT EXISTS (SELECT 1 FROM memory_conversation WHERE conversation = serial);
END;

-- Passages of conversations are memories of a kind of their own: memory_type is 'passage', in pools of their own.
-- passage_of: of a passage, the project whose memory it is or whose subject's, so that the oldest ones are found; NULL: it is kept.
ALTER TABLE memory ADD COLUMN passage_of INTEGER;
CREATE INDEX memory_passage ON memory (passage_of) WHERE passage_of IS NOT NULL;
INSERT INTO pool (project, memory_type, epoch, memories) SELECT DISTINCT project, 'passage', 1, 0 FROM pool;

-- passage_limit: overrides the plan; NULL: as in the plan. subject_passages: of a project, the passages of all its subjects, which
-- subject_memories does not count.
ALTER TABLE project ADD COLUMN passage_limit INTEGER;
ALTER TABLE project ADD COLUMN subject_passages INTEGER NOT NULL DEFAULT 0;

-- An export of the records that a filter selects. filter: what is known of the filter, without texts; NULL: the export has all records from
-- first_seq to last_seq. selected: their number. checkpoint: the size of the one that their proofs lead to.
ALTER TABLE audit_export ADD COLUMN filter TEXT;
ALTER TABLE audit_export ADD COLUMN selected INTEGER;
ALTER TABLE audit_export ADD COLUMN checkpoint INTEGER;

CREATE TABLE export_record (
  export TEXT    NOT NULL REFERENCES audit_export (id) ON DELETE CASCADE,
  seq    INTEGER NOT NULL,
  PRIMARY KEY (export, seq)
) STRICT, WITHOUT ROWID;

-- Changes of memories that wait until somebody accepts or refuses them. source: who has proposed it (suggestions/suggestion.ts). record, key:
-- of the call. details: the proposed fields, the reason and the quotes, as JSON.
CREATE TABLE suggestion (
  id         TEXT    PRIMARY KEY,
  project    INTEGER NOT NULL REFERENCES project (serial),
  kind       TEXT    NOT NULL,
  source     TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  record     TEXT    NOT NULL,
  details    TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX suggestion_by_project ON suggestion (project, id);
CREATE INDEX suggestion_by_record ON suggestion (record);

-- The memories that a suggestion concerns, the older one at place 0. updated_at: of the memory when the suggestion was made.
CREATE TABLE suggestion_memory (
  suggestion TEXT    NOT NULL REFERENCES suggestion (id) ON DELETE CASCADE,
  place      INTEGER NOT NULL,
  memory     INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (suggestion, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX suggestion_memory_by_memory ON suggestion_memory (memory);

-- The words of a memory must not stay in suggestions about it.
CREATE TRIGGER suggestion_of_removed AFTER DELETE ON memory
BEGIN
  DELETE FROM suggestion WHERE id IN (SELECT suggestion FROM suggestion_memory WHERE memory = OLD.serial);
END;
