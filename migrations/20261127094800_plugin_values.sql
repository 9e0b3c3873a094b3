-- The values that plugins store between their calls, by the id of the plugin and a key that the plugin chooses. They belong to no
-- account.
CREATE TABLE plugin_values (
    plugin TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    -- The size of the key and the value, which counts towards the plugin's limit.
    byte_size BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (plugin, name)
);
-- The plugins that have stored something, also if it was deleted. A change locks the row of its plugin, so that concurrent changes
-- cannot exceed the limit together.
CREATE TABLE plugin_stores (
    plugin TEXT PRIMARY KEY,
    changed_at BIGINT NOT NULL
);
