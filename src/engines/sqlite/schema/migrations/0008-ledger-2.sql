-- Format version 2 of the ledger (docs/engineer/AUDIT-FORMAT-2.md).

-- tree: the statement with which the Merkle tree of the chain begins; NULL: the chain has no entry of version 2.
ALTER TABLE audit_chain ADD COLUMN tree TEXT;

-- mac: 16 bytes by which the holder of the signing key recognises its own entries; NULL: an entry of version 1.
ALTER TABLE audit_entry ADD COLUMN mac BLOB;

-- made_of: {"parts":[indices],"record":"id"} in canonical form: the record of the conversation of which the memory was made, and the parts of its
-- payload; no indices: the record is of version 1. NULL: it was made of no conversation.
ALTER TABLE memory ADD COLUMN made_of TEXT;

-- Nodes of the Merkle tree of a chain. hash: 32 bytes.
CREATE TABLE audit_node (
  chain    INTEGER NOT NULL REFERENCES audit_chain (number),
  level    INTEGER NOT NULL,
  position INTEGER NOT NULL,
  hash     BLOB    NOT NULL,
  PRIMARY KEY (chain, level, position)
) STRICT, WITHOUT ROWID;

-- Random ids under which records name subjects, conversations and persons. kind: which of them. owner: the subject of a conversation.
-- name: NULL after an erasure, so that nothing leads from the name to the records.
CREATE TABLE pseudonym (
  serial  INTEGER PRIMARY KEY,
  id      TEXT    NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES project (serial),
  owner   INTEGER REFERENCES pseudonym (serial),
  kind    TEXT    NOT NULL,
  name    TEXT
) STRICT;

CREATE UNIQUE INDEX pseudonym_by_name ON pseudonym (project, kind, COALESCE(owner, 0), name) WHERE name IS NOT NULL;
CREATE INDEX pseudonym_by_owner ON pseudonym (owner) WHERE owner IS NOT NULL;

-- The records that have a pseudonym in their entry or in the headers of their parts.
CREATE TABLE audit_pseudonym (
  pseudonym INTEGER NOT NULL REFERENCES pseudonym (serial),
  entry     INTEGER NOT NULL REFERENCES audit_entry (number),
  PRIMARY KEY (pseudonym, entry)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_pseudonym_by_entry ON audit_pseudonym (entry);
