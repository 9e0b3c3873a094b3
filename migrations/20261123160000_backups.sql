-- Backups that are being made or were made. While one runs, no object is deleted, because its snapshot may name the object.
CREATE TABLE backups (
    -- The name of the snapshot.
    id TEXT PRIMARY KEY,
    -- The folder or address of the backups.
    target TEXT NOT NULL,
    began_at BIGINT NOT NULL,
    -- The process that makes it extends this time; after it, the backup counts as interrupted.
    held_until BIGINT NOT NULL,
    -- NULL for a backup that is being made, that failed or that was interrupted.
    completed_at BIGINT,
    -- 1 for the one that is being made, and NULL for the others: there is one at a time.
    running BIGINT UNIQUE CHECK (running = 1)
);
CREATE INDEX backups_by_target ON backups (target, began_at);
