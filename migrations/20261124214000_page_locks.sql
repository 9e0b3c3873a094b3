-- When the owner locked the page; NULL while its picture may be replaced.
ALTER TABLE pages ADD COLUMN locked_at BIGINT;
ALTER TABLE bin_pages ADD COLUMN locked_at BIGINT;
