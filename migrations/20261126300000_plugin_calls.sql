-- The last calls of each plugin. Rows are written in batches after the calls have ended, and all but the newest ones of each plugin
-- are deleted with the next batch.
CREATE TABLE plugin_calls (
    id TEXT PRIMARY KEY,
    plugin TEXT NOT NULL,
    version TEXT NOT NULL,
    -- The called function.
    function TEXT NOT NULL,
    outcome TEXT NOT NULL,
    -- The failure; NULL if the plugin returned a value, and if the caller stopped waiting.
    error TEXT,
    -- What the plugin was asked and what it returned, as JSON, with digests in place of pictures.
    request TEXT NOT NULL,
    result TEXT,
    -- The HTTP requests, as JSON.
    http_requests TEXT NOT NULL,
    duration_ms BIGINT NOT NULL,
    deadline_ms BIGINT NOT NULL,
    memory_bytes BIGINT NOT NULL,
    memory_limit_bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX plugin_calls_by_plugin ON plugin_calls (plugin, id);
CREATE INDEX plugin_calls_by_age ON plugin_calls (created_at);
