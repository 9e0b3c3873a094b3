-- The addresses to which the server sends the events of an account.
CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    -- The types of the events that are sent, separated by spaces; empty for all.
    events TEXT NOT NULL,
    encrypted_secret TEXT NOT NULL,
    -- The secret before it, which signs until its time has come.
    encrypted_previous_secret TEXT,
    previous_secret_expires_at BIGINT,
    -- Until when a node sends deliveries, or the address rests after a failure.
    busy_until BIGINT,
    -- Since when no delivery succeeded; NULL if the last one did.
    failing_since BIGINT,
    paused_at BIGINT,
    pause_reason TEXT CHECK (pause_reason IN ('requested', 'failures', 'gone')),
    created_at BIGINT NOT NULL
);
CREATE INDEX webhooks_by_account ON webhooks (account_id, id);

-- One event for one webhook. A row is written in the transaction of the change that causes the event. There is no foreign key, since
-- that change must not fail when the webhook is deleted meanwhile; such a row is never sent.
CREATE TABLE webhook_deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'failed')),
    attempts BIGINT NOT NULL DEFAULT 0,
    -- When the next attempt is due; NULL if there is none.
    due_at BIGINT,
    -- The last attempt: its time, its duration, and the response or the error.
    attempted_at BIGINT,
    duration_ms BIGINT,
    response_status BIGINT,
    response TEXT,
    error TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX webhook_deliveries_by_webhook_and_due_at ON webhook_deliveries (webhook_id, due_at, id);
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_due_at ON webhook_deliveries (due_at, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
