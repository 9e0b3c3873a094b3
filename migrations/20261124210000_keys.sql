-- API keys that can be given away: a key may do less than its account, until a time, from some networks, for some credits.

-- The beginning of the secret, by which a person recognizes it; NULL for keys that were created before.
ALTER TABLE api_keys ADD COLUMN prefix TEXT;
-- Separated by spaces, as those of grants.
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'books:read books:write credits:spend';
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT;
-- The most that may be spent with the key in each period, or in all if it has none; NULL for all that the account has.
ALTER TABLE api_keys ADD COLUMN credit_cap BIGINT CHECK (credit_cap >= 0);
ALTER TABLE api_keys ADD COLUMN credit_period TEXT CHECK (credit_period IN ('day', 'month'));
-- Since `spent_since`, the beginning of a period, and without what was refunded.
ALTER TABLE api_keys ADD COLUMN credits_spent BIGINT NOT NULL DEFAULT 0 CHECK (credits_spent >= 0);
ALTER TABLE api_keys ADD COLUMN spent_since BIGINT NOT NULL DEFAULT 0;
-- In CIDR notation, separated by spaces; empty for every network.
ALTER TABLE api_keys ADD COLUMN allowed_networks TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT;
-- The secret that the last rotation replaced, as a hash like that of the present one, and when it ceases to be valid.
ALTER TABLE api_keys ADD COLUMN previous_hash TEXT;
ALTER TABLE api_keys ADD COLUMN previous_expires_at BIGINT;
CREATE UNIQUE INDEX api_keys_by_previous_hash ON api_keys (previous_hash);

-- The API key with which an operation was requested: what is refunded may be spent again.
ALTER TABLE operations ADD COLUMN key_id TEXT REFERENCES api_keys (id);
