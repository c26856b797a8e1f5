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
