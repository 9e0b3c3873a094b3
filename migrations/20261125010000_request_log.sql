-- The request log of accounts: each request over REST and MCP. Rows are written in batches after the requests have ended. There are no
-- foreign keys: on PostgreSQL, a batch would wait for every account that a transaction has locked.
CREATE TABLE logged_requests (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    interface TEXT NOT NULL CHECK (interface IN ('rest', 'mcp')),
    method TEXT NOT NULL,
    -- The pattern of the address; NULL if there is no such address.
    route TEXT,
    -- The tool that a request over MCP called.
    tool TEXT,
    status BIGINT NOT NULL,
    -- The error code; NULL without an error.
    code TEXT,
    duration_ms BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    -- The API key or the grant with which the request was sent.
    key_id TEXT,
    grant_id TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX logged_requests_by_account ON logged_requests (account_id, id);
CREATE INDEX logged_requests_by_age ON logged_requests (created_at);
