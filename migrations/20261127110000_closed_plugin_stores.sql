-- The time at which the plugin was removed: its calls that still run, on any node, store nothing from then on.
ALTER TABLE plugin_stores ADD COLUMN closed_at BIGINT;
CREATE INDEX plugin_stores_by_closing ON plugin_stores (closed_at);
