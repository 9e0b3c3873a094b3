-- While its row exists, no node claims a drawing.
CREATE TABLE queue_pause (
    -- There is at most one row.
    id BIGINT PRIMARY KEY CHECK (id = 1),
    reason TEXT NOT NULL,
    since BIGINT NOT NULL
);
-- The open operations of all accounts, newest first.
CREATE INDEX operations_open ON operations (id) WHERE finished_at IS NULL;
