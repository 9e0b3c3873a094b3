-- The failed requests of an account, which filters by status and by code look for among many that succeeded.
CREATE INDEX failed_logged_requests_by_account ON logged_requests (account_id, id) WHERE status >= 400 OR code IS NOT NULL;
