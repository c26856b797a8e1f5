-- What third parties state about checkpoints: cosignatures of witnesses, and time stamps of authorities. source: the verifier key of the
-- witness, or the name of the authority. content: the signature line without its end, or the Base64 of the DER TimeStampToken.
CREATE TABLE audit_attestation (
  chain   INTEGER NOT NULL,
  size    INTEGER NOT NULL,
  kind    TEXT    NOT NULL CHECK (kind IN ('cosignature', 'timestamp')),
  source  TEXT    NOT NULL,
  content TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (chain, size, kind, source),
  FOREIGN KEY (chain, size) REFERENCES audit_checkpoint (chain, size) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The newest checkpoint of a chain: see newestRoot. A chain gets 50,000 checkpoints in a year.
CREATE INDEX audit_checkpoint_by_time ON audit_checkpoint (chain, at, size);

-- A checkpoint of the same size whose text is another one, because its log is: the statements were about the previous text.
CREATE TRIGGER audit_attestation_of_changed AFTER UPDATE OF note ON audit_checkpoint
WHEN substr(OLD.note, 1, instr(OLD.note, char(10, 10))) <> substr(NEW.note, 1, instr(NEW.note, char(10, 10)))
BEGIN
  DELETE FROM audit_attestation WHERE chain = OLD.chain AND size = OLD.size;
END;

-- The files with records of a chain that destinations elsewhere keep. log: of the checkpoints (AUDIT-FORMAT-2.md). first, size: the first record
-- and the last. answer: what the destination has answered, a JSON object.
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
) STRICT, WITHOUT ROWID;
