-- A key has an epoch of its tokens: those that it has issued in another one are revoked.
ALTER TABLE api_key ADD COLUMN token_epoch INTEGER NOT NULL DEFAULT 0;
