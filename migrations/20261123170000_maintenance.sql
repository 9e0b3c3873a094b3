-- Maintenance: while the row exists, the server is read-only.
CREATE TABLE maintenance (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    began_at BIGINT NOT NULL,
    -- The operator's words for clients; may be empty.
    message TEXT NOT NULL
);
