-- Revisions are counted for each project, and allocated in the transaction that holds the project's row.

-- The newest revision of the project's memories; the next change takes the one after it.
ALTER TABLE project ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

-- Found at the ends of indexes, so it takes no longer in a large database.
UPDATE project SET revision = max(
  COALESCE((SELECT MAX(m.revision) FROM memory m WHERE m.project = project.serial), 0),
  COALESCE((SELECT MAX(r.revision) FROM memory_removal r WHERE r.project = project.serial), 0),
  COALESCE((SELECT MAX(p.epoch) FROM pool p WHERE p.project = project.serial), 0)
);

-- Its rows tell search indexes in memory which memories are gone. Every index begins anew with the program that runs this.
DROP TABLE memory_removal;

CREATE TABLE memory_removal (
  project    INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  memory     INTEGER NOT NULL,
  removed_at INTEGER NOT NULL,
  PRIMARY KEY (project, revision)
) STRICT, WITHOUT ROWID;
