-- The oldest refresh tokens of a grant that were not used go when there are many.
CREATE INDEX refresh_tokens_unused ON refresh_tokens (grant_id, expires_at) WHERE used_at IS NULL;
