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
