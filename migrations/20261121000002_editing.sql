-- Editing: imports, deletions and limits.

-- Objects to delete from storage once they are due: what was replaced or deleted, a while later, so that whoever reads it
-- can finish; and what was announced before it was written, unless it was kept in time.
CREATE TABLE discarded_objects (
    object_key TEXT PRIMARY KEY,
    due_at BIGINT NOT NULL
);
CREATE INDEX discarded_objects_by_due ON discarded_objects (due_at);

-- Files that were sent ahead of the import that will name them.
CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- SHA-256 of the secret in the address that takes the file, in hexadecimal.
    token_hash TEXT NOT NULL UNIQUE,
    -- Where the file is, once it has arrived.
    object_key TEXT,
    byte_size BIGINT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX uploads_by_account ON uploads (account_id, expires_at);
CREATE INDEX uploads_by_expiry ON uploads (expires_at);

-- How busy an account keeps something that is limited in time: the moment until which what it asked for fills the limit.
CREATE TABLE rate_limits (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    busy_until BIGINT NOT NULL,
    PRIMARY KEY (account_id, name)
);

-- Keys that every node must share: made by the first that needs one.
CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE INDEX drawings_by_target ON drawings (target_id, status);
CREATE INDEX operations_by_status ON operations (account_id, status);
