-- What the ledger needs to be read, attested, pruned and exported.

DROP TRIGGER audit_entry_is_final;
DROP TRIGGER audit_entry_stays;

ALTER TABLE audit_entry ADD COLUMN key TEXT;
ALTER TABLE audit_entry ADD COLUMN memory TEXT;
UPDATE audit_entry SET key = entry ->> '$.key', memory = entry ->> '$.memory';

-- The text that was hashed: members in the order of RFC 8785.
UPDATE audit_chain SET genesis = json_object(
  'at', genesis ->> '$.at', 'chain', genesis ->> '$.chain', 'nonce', genesis ->> '$.nonce', 'project', genesis ->> '$.project'
);

CREATE INDEX audit_entry_by_key ON audit_entry (chain, key, seq) WHERE key IS NOT NULL;
CREATE INDEX audit_entry_by_memory ON audit_entry (chain, memory, seq) WHERE memory IS NOT NULL;
CREATE INDEX audit_entry_failed ON audit_entry (chain, status, seq) WHERE status NOT BETWEEN 200 AND 299;

-- Payloads up to here were removed before their entries, as a record of the chain says.
ALTER TABLE audit_chain ADD COLUMN payloads_through INTEGER NOT NULL DEFAULT 0;

-- Signed notes; see docs/engineer/AUDIT-FORMAT.md.
CREATE TABLE audit_checkpoint (
  chain INTEGER NOT NULL REFERENCES audit_chain (number),
  size  INTEGER NOT NULL,
  at    INTEGER NOT NULL,
  note  TEXT    NOT NULL,
  PRIMARY KEY (chain, size)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_anchor (
  chain   INTEGER NOT NULL REFERENCES audit_chain (number),
  through INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  note    TEXT    NOT NULL,
  PRIMARY KEY (chain, through)
) STRICT, WITHOUT ROWID;

-- How far a chain has been verified, so that the next time begins there.
CREATE TABLE audit_verification (
  chain INTEGER PRIMARY KEY REFERENCES audit_chain (number),
  seq   INTEGER NOT NULL,
  hash  TEXT    NOT NULL,
  at    INTEGER NOT NULL
) STRICT;

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
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_export_by_project ON audit_export (project, id);
-- One at a time per project, whatever races.
CREATE UNIQUE INDEX audit_export_running ON audit_export (project) WHERE status = 'processing';

CREATE TRIGGER audit_entry_is_final BEFORE UPDATE ON audit_entry
BEGIN
  SELECT RAISE(ABORT, 'audit entries are append-only');
END;

CREATE TRIGGER audit_entry_stays BEFORE DELETE ON audit_entry
WHEN OLD.seq > COALESCE((SELECT MAX(through) FROM audit_anchor WHERE chain = OLD.chain), 0)
BEGIN
  SELECT RAISE(ABORT, 'audit entries are append-only');
END;

CREATE TRIGGER audit_anchor_is_final BEFORE UPDATE ON audit_anchor
BEGIN
  SELECT RAISE(ABORT, 'anchors are final');
END;

CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor
BEGIN
  SELECT RAISE(ABORT, 'anchors are final');
END;
