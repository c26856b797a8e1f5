-- token_epoch: tokens that the key has issued in another epoch are revoked.
ALTER TABLE api_key ADD COLUMN token_epoch INTEGER NOT NULL DEFAULT 0;
