-- The ISBN of a book, with hyphens; empty for none.
ALTER TABLE books ADD COLUMN isbn TEXT NOT NULL DEFAULT '';
ALTER TABLE bin_books ADD COLUMN isbn TEXT NOT NULL DEFAULT '';
