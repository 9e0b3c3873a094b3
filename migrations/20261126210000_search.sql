-- Search in the lists of books, pages and characters: the words of their texts in lower case, without accents, and the title by which
-- lists are sorted. Empty in rows that an earlier version of the server inserted, until the server fills them.
ALTER TABLE books ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
ALTER TABLE books ADD COLUMN sort_title TEXT NOT NULL DEFAULT '';
ALTER TABLE bin_books ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
ALTER TABLE bin_books ADD COLUMN sort_title TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN sort_title TEXT NOT NULL DEFAULT '';
ALTER TABLE bin_pages ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
ALTER TABLE bin_pages ADD COLUMN sort_title TEXT NOT NULL DEFAULT '';
ALTER TABLE characters ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
ALTER TABLE characters ADD COLUMN sort_title TEXT NOT NULL DEFAULT '';
CREATE INDEX books_by_title ON books (account_id, sort_title, id);
CREATE INDEX books_by_change ON books (account_id, updated_at, id);
CREATE INDEX books_unindexed ON books (id) WHERE search_text = '';
CREATE INDEX pages_by_title ON pages (account_id, sort_title, id);
CREATE INDEX pages_by_change ON pages (account_id, updated_at, id);
CREATE INDEX pages_unindexed ON pages (id) WHERE search_text = '';
CREATE INDEX characters_by_title ON characters (account_id, sort_title, id);
CREATE INDEX characters_by_change ON characters (account_id, updated_at, id);
CREATE INDEX characters_unindexed ON characters (id) WHERE search_text = '';
