-- The book from whose id the seed of a book's pages is derived, by which providers choose what the pages have in common: for a later
-- volume of a series, the first one, and for a copy, the original. Null if it is the book itself.
ALTER TABLE books ADD COLUMN seed_book_id TEXT;
ALTER TABLE bin_books ADD COLUMN seed_book_id TEXT;
