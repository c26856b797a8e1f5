-- Tags of memories. The column is what a memory shows: a JSON array of its tags in their order; null without tags.
ALTER TABLE memory ADD COLUMN tags TEXT CHECK (json_array_length(tags) BETWEEN 1 AND 16);

-- The same tags as rows, to find memories by them. A row has the pool of its memory, so that one of a memory that a bulk delete has
-- hidden can be told by itself. Only the triggers below write it. The order of the key is that of the lists.
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
) STRICT, WITHOUT ROWID;

-- A value that is not text becomes null, and is refused. So is a tag that is there twice.
CREATE TRIGGER memory_tag_of_new AFTER INSERT ON memory WHEN NEW.tags IS NOT NULL
BEGIN
  INSERT INTO memory_tag (project, tag, memory_type, epoch, memory)
  SELECT NEW.project, CASE type WHEN 'text' THEN value END, NEW.memory_type, NEW.epoch, NEW.serial
  FROM json_each(NEW.tags);
END;

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
END;

CREATE TRIGGER memory_tag_of_removed AFTER DELETE ON memory WHEN OLD.tags IS NOT NULL
BEGIN
  DELETE FROM memory_tag
  WHERE project = OLD.project AND tag IN (SELECT value FROM json_each(OLD.tags))
    AND memory_type = OLD.memory_type AND epoch = OLD.epoch AND memory = OLD.serial;
END;
