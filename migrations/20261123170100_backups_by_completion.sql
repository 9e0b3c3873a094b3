-- The last completed backup to any place.
CREATE INDEX backups_by_completion ON backups (began_at) WHERE completed_at IS NOT NULL;
