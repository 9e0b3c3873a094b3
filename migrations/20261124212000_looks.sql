-- How pages and covers are drawn, where it differs from what the audience needs. A new page of a book gets the book's look.
ALTER TABLE books ADD COLUMN line_weight TEXT NOT NULL DEFAULT 'usual' CHECK (line_weight IN ('usual', 'thin', 'medium', 'bold'));
ALTER TABLE books ADD COLUMN detail TEXT NOT NULL DEFAULT 'usual' CHECK (detail IN ('usual', 'simple', 'medium', 'detailed'));
ALTER TABLE books ADD COLUMN style TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN line_weight TEXT NOT NULL DEFAULT 'usual' CHECK (line_weight IN ('usual', 'thin', 'medium', 'bold'));
ALTER TABLE pages ADD COLUMN detail TEXT NOT NULL DEFAULT 'usual' CHECK (detail IN ('usual', 'simple', 'medium', 'detailed'));
ALTER TABLE pages ADD COLUMN style TEXT NOT NULL DEFAULT '';

-- All pages of a book can be drawn again. The column is made anew, because neither database changes a CHECK alike.
ALTER TABLE operations ADD COLUMN kind TEXT NOT NULL DEFAULT 'book.create' CHECK (kind IN
    ('character.create', 'character.regenerate', 'page.create', 'page.regenerate', 'page.refine', 'book.create', 'book.add_page',
     'book.regenerate_cover', 'book.restyle'));
UPDATE operations SET kind = type;
ALTER TABLE operations DROP COLUMN type;
ALTER TABLE operations RENAME COLUMN kind TO type;
