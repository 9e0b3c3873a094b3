-- Operators administer the server; all other accounts are customers.
ALTER TABLE accounts ADD COLUMN role TEXT NOT NULL DEFAULT 'customer' CHECK (role IN ('customer', 'operator'));
-- When an operator suspended the account; NULL while it can be used.
ALTER TABLE accounts ADD COLUMN suspended_at BIGINT;

-- Append-only: each change by an operator, written in the transaction of the change. No row refers to an account by a foreign
-- key, so that the log survives everything that it mentions.
CREATE TABLE audit_log (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    -- The operator's account; NULL for the command line.
    account_id TEXT,
    -- The API key of the request; NULL for a browser and for the command line.
    key_id TEXT,
    -- The address of the client; NULL for the command line.
    address TEXT,
    action TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_id TEXT NOT NULL,
    -- The details of the action, as JSON.
    details TEXT NOT NULL
);
CREATE INDEX audit_log_by_target ON audit_log (target_id, id);
