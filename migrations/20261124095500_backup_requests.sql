-- The last request of an operator for a backup. A worker makes it, because only workers are known to reach the place.
CREATE TABLE backup_requests (
    -- There is at most one row.
    id BIGINT PRIMARY KEY CHECK (id = 1),
    requested_at BIGINT NOT NULL
);
