-- The theme that a book was planned from in the browser; empty for other books. It begins the plan of the next volume, and lists of
-- recent themes.
ALTER TABLE books ADD COLUMN theme TEXT NOT NULL DEFAULT '';
ALTER TABLE bin_books ADD COLUMN theme TEXT NOT NULL DEFAULT '';
ALTER TABLE drafts ADD COLUMN theme TEXT NOT NULL DEFAULT '';
